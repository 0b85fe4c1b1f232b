/** The stages of a project side by side. Values stay unseen: their digests tell which are equal. */
import type { DigestEntry, Digested } from '@rollkey/contract'
import { alignByName, isSame, opens } from '@rollkey/contract/rules'

/** A variable of a stage. One that is not saved yet has no last write. */
type StageVariable = Digested & Partial<Pick<DigestEntry, 'updatedAtMs' | 'updatedBy'>>

export interface StageContents {
  readonly variables: readonly StageVariable[]
  readonly revision: number
}

/** How a stage compares with the first one that has the variable, which is `set`. */
export type CellState = 'set' | 'missing' | 'same' | 'different' | 'unopened'

export interface Cell {
  readonly state: CellState
  /** Absent where it is missing. */
  readonly variable: StageVariable | undefined
}

interface LastChange {
  readonly atMs: number
  /** User or service token. */
  readonly by: string | undefined
}

export interface Row {
  readonly name: string
  /** The variable in the first stage that has it. */
  readonly leading: Digested
  /** One for each stage. */
  readonly cells: readonly Cell[]
  /** The newest change in any stage. Absent if none is saved. */
  readonly lastChange?: LastChange | undefined
}

/** Returns a row for each variable that any stage has, by name. */
export function rowsOf(stages: readonly (readonly StageVariable[])[]): readonly Row[] {
  return alignByName(stages).flatMap(({ name, variables }) => {
    const leading = variables.find((variable) => variable !== undefined)
    if (!leading) return []
    const reference = variables.find((variable) => variable && opens(variable))
    const cells = variables.map((variable) => ({ variable, state: stateOf(variable, reference) }))
    return [{ name, leading, cells, lastChange: newestOf(variables) }]
  })
}

function stateOf(variable: Digested | undefined, reference: Digested | undefined): CellState {
  if (!variable) return 'missing'
  if (!opens(variable) || !reference) return 'unopened'
  if (variable === reference) return 'set'
  return isSame(variable, reference) ? 'same' : 'different'
}

function newestOf(variables: readonly (StageVariable | undefined)[]): LastChange | undefined {
  return variables.reduce<LastChange | undefined>((newest, variable) => {
    const atMs = variable?.updatedAtMs
    return atMs === undefined || (newest && newest.atMs >= atMs) ? newest : { atMs, by: variable?.updatedBy }
  }, undefined)
}

export function hasDifference({ cells }: Row): boolean {
  return cells.some(({ state }) => state !== 'set' && state !== 'same')
}
