import { type RefObject, useRef } from 'react'
import { useCommands } from '../../../ui/commands.ts'
import { labels } from './labels.ts'

interface CompareKeysOptions {
  /** Whether the viewer may copy variables, and so selects them. */
  readonly maySelect: boolean
  /** Whether the viewer may read the values of a stage. */
  readonly mayReveal: boolean
}

/** Lets keys move over the rows of the comparison and act on the one with the focus. Returns the ref of the element with the rows. */
export function useCompareKeys({ maySelect, mayReveal }: CompareKeysOptions): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null)
  const move = { isKeyOnly: true }
  const act = { isKeyOnly: true, within: list }
  useCommands([
    { ...move, label: labels.keys.next, keys: 'j', run: () => step(list.current, 1) },
    { ...move, label: labels.keys.previous, keys: 'k', run: () => step(list.current, -1) },
    ...(maySelect ? [{ ...act, label: labels.keys.select, keys: 'x', run: () => click('input') }] : []),
    ...(mayReveal ? [{ ...act, label: labels.keys.reveal, keys: 'r', run: () => click('button') }] : []),
  ])
  return list
}

function focusedRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-focus]') ?? null
}

function click(control: string): void {
  focusedRow()?.querySelector<HTMLElement>(control)?.click()
}

/** Focuses the next row, or from elsewhere the first one. Rows of closed groups are left out. */
function step(list: HTMLElement | null, by: 1 | -1): void {
  const rows = [...(list?.querySelectorAll<HTMLElement>('details[open] [data-focus]') ?? [])]
  const at = rows.findIndex((row) => row === focusedRow())
  rows[at === -1 ? 0 : at + by]?.focus()
}
