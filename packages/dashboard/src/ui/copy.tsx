import {
  ActionIcon,
  Box,
  Button,
  type ButtonProps,
  Group,
  Tabs,
  Text,
  TextInput,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useSettings } from '../session/settings.ts'
import { commandLineSumQuery } from '../service/connection.ts'
import { IconCopied, IconCopy } from './icons.ts'
import classes from './copy.module.css'
import { labels } from './labels.ts'

interface CopyButtonProps {
  readonly value: string
  /** Id of the element that describes the copied text. */
  readonly describedBy: string
  /** Runs when the browser does not allow the copy, so that people copy by hand. */
  readonly onRefused: () => void
  readonly size?: ButtonProps['size']
}

function CopyButton({ value, describedBy, onRefused, size = 'sm' }: CopyButtonProps) {
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
        {copied ? labels.copied : labels.copy}
      </Button>
      <VisuallyHidden role="status">{copied ? labels.copied : ''}</VisuallyHidden>
    </>
  )
}

interface IconCopyButtonProps {
  readonly value: string
  /** Accessible name, such as "Copy API_KEY". */
  readonly label: string
}

/** Copies a text by a small button, which is absent where browsers have no clipboard: outside secure contexts. */
export function IconCopyButton({ value, label }: IconCopyButtonProps) {
  const { copied, copy } = useClipboard()
  if (!globalThis.isSecureContext) return null
  return (
    <>
      <Tooltip label={copied ? labels.copied : label}>
        <ActionIcon size="sm" miw={24} mih={24} aria-label={label} onClick={() => copy(value)}>
          {copied ? <IconCopied size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      </Tooltip>
      <VisuallyHidden role="status">{copied ? labels.copied : ''}</VisuallyHidden>
    </>
  )
}

interface CopyFieldProps {
  readonly label: string
  readonly description?: ReactNode
  readonly value: string
}

/** Shows a text to copy, the result of a form. It takes the focus, which selects all of it. */
export function CopyField({ label, description, value }: CopyFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        ref={input}
        id={id}
        className={classes['field']}
        classNames={{ input: 'mono' }}
        label={label}
        description={description}
        value={value}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton value={value} describedBy={`${id}-label`} onRefused={() => input.current?.focus()} />
    </Group>
  )
}

interface CodeSnippetProps {
  /** Purpose of the snippets, for screen readers. */
  readonly what: string
  /** Code by the name of its tab, such as "CLI", "SDK" and "curl". */
  readonly code: Readonly<Record<string, string>>
}

/** Shows the same step in several languages, each with a copy button. */
export function CodeSnippet({ what, code }: CodeSnippetProps) {
  const entries = Object.entries(code)
  return (
    <Tabs defaultValue={entries[0]?.[0] ?? null}>
      <Tabs.List mb="xs" aria-label={what}>
        {entries.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {entries.map(([name, text]) => (
        <Tabs.Panel key={name} value={name}>
          <Command what={labels.part(what, name)} text={text} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

interface CommandProps {
  readonly text: string
  /** What it is, for those who only hear it. */
  readonly what: string
}

/** Shows a command or a piece of code with a copy button. */
export function Command({ text, what }: CommandProps) {
  const id = useId()
  const code = useRef<HTMLPreElement>(null)
  const select = (): void => {
    if (code.current) getSelection()?.selectAllChildren(code.current)
  }
  return (
    <div className={classes['command']}>
      <Box component="pre" ref={code} id={id} className={classes['text']} tabIndex={0} aria-label={what}>
        {text}
      </Box>
      <CopyButton value={text} describedBy={id} onRefused={select} size="xs" />
    </div>
  )
}

interface RollkeyCommandProps {
  /** What it is, for those who only hear it. */
  readonly what: string
  /** Command lines without `rollkey`. */
  readonly lines: readonly string[]
}

/** Returns command lines from those without `rollkey`. */
export function commandLines(lines: readonly string[]): string {
  return lines.map((line) => labels.commandLine(line)).join('\n')
}

/** Shows commands for a terminal, run with the command-line client that the service offers. */
export function RollkeyCommand({ what, lines }: RollkeyCommandProps) {
  return <Command what={what} text={commandLines(lines)} />
}

/** Shows commands after the download of the command-line client, and gives it its name in the terminal. */
export function RollkeyDownload({ what, lines }: RollkeyCommandProps) {
  const { publicUrl } = useSettings()
  const { data: sum } = useQuery(commandLineSumQuery)
  const steps = [
    `curl -fsSO ${publicUrl}/cli/rollkey.mjs`,
    ...(sum ? [`echo "${sum}" | sha256sum -c`] : []),
    `alias rollkey="node '$PWD/rollkey.mjs'"`,
  ]
  const text = [steps.join(' &&\n  '), commandLines(lines)].join('\n')
  return (
    <>
      <Text>{labels.download}</Text>
      <Command what={what} text={text} />
    </>
  )
}
