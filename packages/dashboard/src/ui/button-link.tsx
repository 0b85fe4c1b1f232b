import { Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Props = ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>

/** A link to a page that looks like a button: the next step. */
export const ButtonLink = createLink((props: Props) => <Button component="a" {...props} />)
