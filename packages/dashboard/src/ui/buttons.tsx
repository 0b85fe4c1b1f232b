import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import type { ComponentPropsWithRef, MouseEvent } from 'react'
import { createLink } from '@tanstack/react-router'

type BusyButtonProps = ButtonProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> & {
    /** Whether its action is running. Clicks do nothing then. */
    readonly isBusy: boolean
  }

function refuse(event: MouseEvent): void {
  event.preventDefault()
}

/**
 * Keeps the focus while its action runs. A disabled button would lose it, and with it a keyboard user's place. The second click of a double
 * click does nothing: the action may have ended by then, and would run again.
 */
export function BusyButton({ isBusy, onClick, ...props }: BusyButtonProps) {
  return (
    <Button
      {...props}
      loading={isBusy}
      aria-disabled={isBusy}
      onClick={(event) => (isBusy || event.detail > 1 ? refuse(event) : onClick?.(event))}
      renderRoot={(root) => <button {...root} disabled={props.disabled} />}
    />
  )
}

type ButtonLinkProps = ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>

/** A link to a page that looks like a button: the next step. */
export const ButtonLink = createLink((props: ButtonLinkProps) => <Button component="a" {...props} />)

type TextLinkProps = AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>

/** A link to a page, in running text. */
export const TextLink = createLink((props: TextLinkProps) => <Anchor {...props} />)
