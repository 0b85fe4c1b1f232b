/** The stages of a project side by side. Values stay hidden, because digests show which are equal. */
import type { Stage, VariableState } from '@rollkey/sdk/core'
import type { Digested, DigestEntry } from '@rollkey/contract'
import {
  alignByName,
  type AttributeName,
  attributeNames,
  isSameAttribute,
  attributes,
  compareCodePoints,
  type Declaration,
  isRequiredIn,
  isSame,
  kinds,
  opens,
  type ValueField,
  type ValueRole,
} from '@rollkey/contract/rules'
import {
  attributeEntries,
  attributeFact,
  attributeText,
  kindFact,
  kindName,
  labels,
  seenKindOf,
  shownValue,
  typeNames,
} from './labels.ts'

/** A variable of a stage. One that is not saved yet has no last write. */
export interface StageVariable extends Digested, Partial<Pick<DigestEntry, 'updatedAtMs' | 'updatedBy'>> {
  /** Present if the viewer may not read the stage: its digests cannot be compared with those of other stages. */
  readonly valuesHidden?: true | undefined
}

export interface StageContents {
  readonly variables: readonly StageVariable[]
  readonly revision: number
}

/** How a stage differs from the first one that has the variable, which is `set`. `hidden`: the viewer may not know. */
export type CellState = 'set' | 'missing' | 'same' | 'different' | 'unopened' | 'hidden'

export interface Cell {
  readonly state: CellState
  /** Absent where the variable is missing. */
  readonly variable: StageVariable | undefined
}

interface LastChange {
  readonly atMs: number
  /** Id of the user or service token. */
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
  /** What the project declares of a variable that no stage has. Absent: a stage has it, or will have it once a change is saved. */
  readonly declared?: Declaration | undefined
}

/** Returns a row for each variable that any stage has, by name. */
export function rowsOf(stages: readonly (readonly StageVariable[])[]): readonly Row[] {
  return alignByName(stages).flatMap(({ name, variables }) => {
    const leading = variables.find((variable) => variable !== undefined)
    if (!leading) return []
    const reference = variables.find((variable) => variable && opens(variable) && !variable.valuesHidden)
    const cells = variables.map((variable) => ({ variable, state: stateOf(variable, reference) }))
    return [{ name, leading, cells, lastChange: newestOf(variables) }]
  })
}

/** Returns the rows and one more for each name that the project declares and no stage has. */
export function withDeclaredRows(
  rows: readonly Row[],
  declarations: readonly Declaration[],
  stageCount: number,
): readonly Row[] {
  const known = new Set(rows.map(({ name }) => name))
  const cells = Array.from({ length: stageCount }, (): Cell => ({ state: 'missing', variable: undefined }))
  const added = declarations.flatMap((declared): Row[] => {
    const { name } = declared
    return known.has(name) ? [] : [{ name, leading: { ...likeDeclared(declared), digests: {} }, cells, declared }]
  })
  if (added.length === 0) return rows
  return [...rows, ...added].toSorted((one, other) => compareCodePoints(one.name, other.name))
}

/** Returns what a variable begins with as the project declares it. */
export function likeDeclared({ name, declaredType, description, exposure }: Declaration) {
  return {
    name,
    kind: 'secret',
    ...(declaredType && { declaredType }),
    ...(description !== undefined && { description }),
    ...(exposure && { exposure }),
  } as const
}

function stateOf(variable: StageVariable | undefined, reference: StageVariable | undefined): CellState {
  if (!variable) return 'missing'
  if (!opens(variable)) return 'unopened'
  if (variable.valuesHidden) return 'hidden'
  if (!reference) return 'unopened'
  if (variable === reference) return 'set'
  return isSame(variable, reference) ? 'same' : 'different'
}

function newestOf(variables: readonly (StageVariable | undefined)[]): LastChange | undefined {
  return variables.reduce<LastChange | undefined>((newest, variable) => {
    const atMs = variable?.updatedAtMs
    return atMs === undefined || (newest && newest.atMs >= atMs) ? newest : { atMs, by: variable?.updatedBy }
  }, undefined)
}

/** How many of the names of its project a stage has. */
export interface Filling {
  readonly set: number
  readonly all: number
  /** How many of the others changes propose. Absent: none, or it does not matter. */
  readonly proposed?: number
}

/** Returns how far a stage is filled that is still new: it has fewer than half of the names. Undefined: it is not new. */
export function fillingOf(set: number, all: number): Filling | undefined {
  return 2 * set < all ? { set, all } : undefined
}

/** Returns how far the stage of each column is filled, if it is still new. Names that no stage has say nothing about it. */
export function fillingsOf(stageCount: number, rows: readonly Row[]): readonly (Filling | undefined)[] {
  const stored = rows.filter(({ declared }) => !declared)
  return Array.from({ length: stageCount }, (_, at) =>
    fillingOf(stored.filter(({ cells }) => cells[at]?.state !== 'missing').length, stored.length),
  )
}

/**
 * Returns whether it is an alarm that a stage lacks a variable: it is production, and not new. Of a variable that no stage has, it must
 * also be declared as required there.
 */
export function needsVariable(
  stage: Pick<Stage, 'stageSlug' | 'isProduction'>,
  filling: Filling | undefined,
  declared?: Declaration,
): boolean {
  return stage.isProduction && filling === undefined && (!declared || isRequiredIn(declared, stage))
}

interface MissingCount<Each> {
  readonly stage: Each
  readonly count: number
}

/**
 * Returns how many variables each production stage lacks, without those that lack none or are new. `proposed`: names that changes
 * propose, by stage.
 */
export function missingInProduction<Each extends Pick<Stage, 'stageSlug' | 'isProduction'>>(
  stages: readonly Each[],
  rows: readonly Row[],
  proposed: ReadonlyMap<string, { has(name: string): boolean }> = new Map(),
): readonly MissingCount<Each>[] {
  const fillings = fillingsOf(stages.length, rows)
  const counts = stages.map((stage, at) => {
    const filling = fillings[at]
    const isWaiting = (name: string): boolean => proposed.get(stage.stageSlug)?.has(name) === true
    const lacks = ({ name, cells, declared }: Row): boolean =>
      cells[at]?.state === 'missing' && needsVariable(stage, filling, declared) && !isWaiting(name)
    return { stage, count: rows.filter(lacks).length }
  })
  return counts.filter(({ count }) => count > 0)
}

export function hasDifference({ cells }: Row): boolean {
  return cells.some(({ state }) => state !== 'set' && state !== 'same' && state !== 'hidden')
}

interface DigestedValue {
  readonly role: ValueRole
  /** Name of the value, such as "value A". */
  readonly label: string
  readonly digest: string
}

/** Returns the digests of a state. A value that cannot be opened has none. */
export function digestsOf({ kind, digests }: Pick<VariableState, 'kind' | 'digests'>): readonly DigestedValue[] {
  return kinds[kind].values.flatMap(({ role, label }) => {
    const digest = digests[role]
    return digest === undefined ? [] : [{ role, label, digest }]
  })
}

function typeText({ declaredType }: VariableState): string {
  return declaredType === undefined ? labels.untyped : typeNames[declaredType]
}

function kindText({ kind, rotating }: VariableState): string {
  return rotating ? labels.rotating : kindName(kind)
}

function attributeTextOf(state: VariableState, name: AttributeName): string | undefined {
  const value = state[name] ?? attributes[name].none
  return value === undefined ? undefined : attributeText(name, value)
}

/** Returns facts such as ["plain value", "text"]. */
export function factsOf(state: VariableState): readonly string[] {
  return [
    kindFact(seenKindOf(state)),
    ...(state.declaredType === undefined ? [] : [typeText(state)]),
    ...attributeEntries(state).flatMap(([name, value]) =>
      // The name of the kind says it.
      name === 'exposure' && state.kind === 'secret' ? [] : [attributeFact(name, attributeText(name, value))],
    ),
  ]
}

/** The values of a variable that people see, by the fields of a write. */
type SeenValues = { readonly [Field in ValueField]?: string | undefined } | undefined

const values = Object.values(kinds).flatMap((kind) => kind.values)

/** Returns a value before and after, such as "19 → 21"; undefined unless people see both. */
export function valueTransition(role: ValueRole, before: SeenValues, after: SeenValues): string | undefined {
  const field = values.find((value) => value.role === role)?.field ?? 'value'
  const [from, to] = [before?.[field], after?.[field]]
  return from === undefined || to === undefined ? undefined : labels.transition(shownValue(from), shownValue(to))
}

type Text = string | undefined

function transitionOf(from: Text, to: Text, fact: (text: string) => string): readonly string[] {
  return from === to || to === undefined ? [] : [fact(from === undefined ? to : labels.transition(from, to))]
}

/** Returns a change such as ["chance 10% → 25%"]. Rules and pins can change although their numbers stay. */
function attributeChange(before: VariableState, after: VariableState, name: AttributeName): readonly string[] {
  const [from, to] = [attributeTextOf(before, name), attributeTextOf(after, name)]
  const isEqual =
    isSameAttribute(before[name], after[name]) && (name !== 'pinned' || before.digests.pins === after.digests.pins)
  if (from === to && !isEqual) return [attributeFact(name, labels.valueChanged)]
  const isShare = name === 'chance' && after.rotating === true
  return transitionOf(from, to, (text) => (isShare ? labels.fact(labels.newShare, text) : attributeFact(name, text)))
}

/** Returns differences such as ["value A changed", "chance 10% → 25%"]. `valueWords`: the words for another value. */
export function differences(
  before: VariableState,
  after: VariableState,
  valueWords: (role: ValueRole, digest: string) => string = () => labels.valueChanged,
): readonly string[] {
  const facts = [
    ...transitionOf(kindText(before), kindText(after), (text) => text),
    ...transitionOf(typeText(before), typeText(after), labels.typeFact),
    ...attributeNames
      // The words for a rotation say which value is which.
      .filter((name) => name !== 'labels' || (!before.rotating && !after.rotating))
      .flatMap((name) => attributeChange(before, after, name)),
  ]
  if (before.kind !== after.kind) return facts
  const changed = digestsOf(after).flatMap(({ role, label, digest }) =>
    before.digests[role] === digest ? [] : [labels.fact(label, valueWords(role, digest))],
  )
  return [...changed, ...facts]
}
