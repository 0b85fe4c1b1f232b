import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCopied, IconCopy } from './icons.ts'

interface IconCopyButtonProps {
  readonly value: string
  /** What the button does, such as "Copy API_KEY". */
  readonly label: string
}

/** A small button that copies a text. Browsers have a clipboard only in secure contexts, so it is not there in others. */
export function IconCopyButton({ value, label }: IconCopyButtonProps) {
  const { copied, copy } = useClipboard()
  if (!globalThis.isSecureContext) return null
  return (
    <>
      <Tooltip label={copied ? 'Copied' : label}>
        <ActionIcon size="sm" aria-label={label} onClick={() => copy(value)}>
          {copied ? <IconCopied size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      </Tooltip>
      <VisuallyHidden role="status">{copied ? 'Copied' : ''}</VisuallyHidden>
    </>
  )
}
