/** The stages of a project side by side. Values are unseen: their digests tell which are equal. */
import type { Digested } from '@rollkey/contract'
import { alignByName, isSame, opens } from '@rollkey/contract/rules'

export interface StageContents {
  readonly variables: readonly Digested[]
  readonly revision: number
}

/** How a stage stands to the first one; where that has nothing to compare with, it is just set. */
export type CellState = 'set' | 'missing' | 'same' | 'different' | 'unopened'

export interface Cell {
  readonly state: CellState
  /** Absent where it is missing. */
  readonly variable: Digested | undefined
}

export interface Row {
  readonly name: string
  /** As it is in the first stage that has it. */
  readonly leading: Digested
  /** One a stage. */
  readonly cells: readonly Cell[]
}

/** A row for each variable that any stage has, by name. */
export function rowsOf(stages: readonly (readonly Digested[])[]): readonly Row[] {
  return alignByName(stages).flatMap(({ name, variables }) => {
    const leading = variables.find((variable) => variable !== undefined)
    if (!leading) return []
    const cells = variables.map((variable, at) => ({ variable, state: stateOf(variable, at === 0, variables[0]) }))
    return [{ name, leading, cells }]
  })
}

function stateOf(variable: Digested | undefined, isFirst: boolean, first: Digested | undefined): CellState {
  if (!variable) return 'missing'
  if (!opens(variable)) return 'unopened'
  if (isFirst || !first || !opens(first)) return 'set'
  return isSame(variable, first) ? 'same' : 'different'
}

export function hasDifference({ cells }: Row): boolean {
  return cells.some(({ state }) => state !== 'set' && state !== 'same')
}

/** Those whose name contains the text, upper and lower case alike. */
export function matching(rows: readonly Row[], text: string): readonly Row[] {
  const wanted = text.trim().toLowerCase()
  return wanted === '' ? rows : rows.filter(({ name }) => name.toLowerCase().includes(wanted))
}
