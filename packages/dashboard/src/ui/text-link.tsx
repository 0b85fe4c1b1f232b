import { Anchor, type AnchorProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Props = AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>

/** A link to a page, in running text. */
export const TextLink = createLink((props: Props) => <Anchor {...props} />)
