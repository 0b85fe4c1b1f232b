import { Button, type ButtonProps } from '@mantine/core'
import type { ComponentPropsWithRef, MouseEvent } from 'react'

type BusyButtonProps = ButtonProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> & {
    /** While it works it does nothing else. */
    readonly isBusy: boolean
  }

function refuse(event: MouseEvent): void {
  event.preventDefault()
}

/** Keeps the focus while it works; a disabled button would lose it, and with it a keyboard user's place. */
export function BusyButton({ isBusy, onClick, ...props }: BusyButtonProps) {
  return (
    <Button
      {...props}
      loading={isBusy}
      aria-disabled={isBusy}
      onClick={isBusy ? refuse : onClick}
      renderRoot={(root) => <button {...root} disabled={props.disabled} />}
    />
  )
}
