import type { WriteEntry } from '@rollkey/contract'
import { kinds, valuesOf } from '@rollkey/contract/rules'
import { capitalized } from '../labels.ts'
import { ShownValue } from './shown-value.tsx'

interface EntryValuesProps {
  readonly entry: WriteEntry
}

export function EntryValues({ entry }: EntryValuesProps) {
  const values = valuesOf(entry)
  return kinds[entry.kind].values.map(({ field, label }, at) => (
    <ShownValue key={field} label={capitalized(label)} text={values[at] ?? ''} />
  ))
}
