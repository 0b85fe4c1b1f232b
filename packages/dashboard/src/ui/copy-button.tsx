import { Button, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'

interface CopyButtonProps {
  readonly value: string
  /** The id of the element that says what is copied. */
  readonly describedBy: string
  /** Told when the browser does not let the page copy: it must be done by hand. */
  readonly onRefused: () => void
}

export function CopyButton({ value, describedBy, onRefused }: CopyButtonProps) {
  const { copied, copy } = useClipboard()
  const copyOrSelect = (): void => {
    // Browsers have a clipboard for pages only in secure contexts.
    if (globalThis.isSecureContext) copy(value)
    else onRefused()
  }
  return (
    <>
      <Button variant="default" aria-describedby={describedBy} onClick={copyOrSelect}>
        {copied ? 'Copied' : 'Copy'}
      </Button>
      <VisuallyHidden role="status">{copied ? 'Copied' : ''}</VisuallyHidden>
    </>
  )
}
