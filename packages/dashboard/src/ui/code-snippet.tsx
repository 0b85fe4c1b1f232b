import { Tabs } from '@mantine/core'
import { Command } from './command.tsx'

interface CodeSnippetProps {
  /** What the snippets do, for those who only hear it. */
  readonly what: string
  /** The code by the name of its tab, such as "CLI", "SDK" and "curl". */
  readonly code: Readonly<Record<string, string>>
}

/** The same step in several languages, each to copy. */
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
          <Command what={`${what}: ${name}`} text={text} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
