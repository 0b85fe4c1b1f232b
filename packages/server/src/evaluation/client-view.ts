/** What of a stage client keys see: the variables that are exposed to client programs, and nothing that depends on others. */
import { hash } from 'node:crypto'
import type { Stage } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'

/** The part of a stage that a caller sees. */
export interface StageView {
  /** In wire order. */
  readonly variables: ReadonlyMap<string, StoredVariable>
  /** Changes with the visible variables, and is equal on every node. */
  readonly version: string
}

const clientViews = new WeakMap<Stage, StageView>()

/** Returns whether client keys see a variable. For them, all others do not exist. */
export function isClientVisible({ attributes }: Pick<StoredVariable, 'attributes'>): boolean {
  return attributes.exposure === 'client'
}

/** Returns what callers other than client keys see of a stage. */
export function wholeOf({ variables, revision }: Stage): StageView {
  return { variables, version: String(revision) }
}

/** Returns what client keys see of a stage. */
export function clientViewOf(stage: Stage): StageView {
  const known = clientViews.get(stage)
  if (known) return known
  const visible = [...stage.variables].filter(([, variable]) => isClientVisible(variable))
  const states = visible.map(([name, { kind, declaredType, attributes, payloads, sealedPins }]) => [
    name,
    kind,
    declaredType,
    // Nodes may have them in another order.
    Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    [...payloads, ...(sealedPins ? [sealedPins] : [])].map((sealed) => hash('sha256', sealed, 'base64url')),
  ])
  const version = hash('sha256', JSON.stringify(states), 'base64url')
  const view: StageView = { variables: new Map(visible), version }
  clientViews.set(stage, view)
  return view
}
