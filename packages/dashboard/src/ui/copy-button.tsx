import { Button, type ButtonProps, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCopied, IconCopy } from './icons.ts'

interface CopyButtonProps {
  readonly value: string
  /** The id of the element that says what is copied. */
  readonly describedBy: string
  /** Told when the browser does not let the page copy: it must be done by hand. */
  readonly onRefused: () => void
  readonly size?: ButtonProps['size']
}

export function CopyButton({ value, describedBy, onRefused, size = 'sm' }: CopyButtonProps) {
  const { copied, copy } = useClipboard()
  const copyOrSelect = (): void => {
    // Browsers have a clipboard for pages only in secure contexts.
    if (globalThis.isSecureContext) copy(value)
    else onRefused()
  }
  return (
    <>
      <Button
        variant="default"
        size={size}
        leftSection={copied ? <IconCopied size={14} /> : <IconCopy size={14} />}
        aria-describedby={describedBy}
        onClick={copyOrSelect}
      >
        {copied ? 'Copied' : 'Copy'}
      </Button>
      <VisuallyHidden role="status">{copied ? 'Copied' : ''}</VisuallyHidden>
    </>
  )
}
