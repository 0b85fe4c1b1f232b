import type { WriteEntry } from '@rollkey/contract'
import { ShownValue } from './shown-value.tsx'

interface EntryValuesProps {
  readonly entry: WriteEntry
}

export function EntryValues({ entry }: EntryValuesProps) {
  if (entry.kind === 'secret') return <ShownValue label="Value" text={entry.value} />
  return (
    <>
      <ShownValue label="Value A" text={entry.valueA} />
      <ShownValue label="Value B" text={entry.valueB} />
    </>
  )
}
