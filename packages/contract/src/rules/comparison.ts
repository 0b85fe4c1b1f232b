/** Compares stages by the digests of their values. */
import { compareCodePoints } from './code-points.ts'
import type { DeclaredType } from './declared-types.ts'
import {
  attributeNames,
  isSameAttribute,
  kinds,
  type AttributeName,
  type Attributes,
  type Kind,
  type ValueRole,
} from './kinds.ts'

/** A variable with digests in place of values. A value that does not open has no digest. */
export interface DigestedState extends Attributes {
  /** Kind of the variable. */
  readonly kind: Kind
  /** Declared type. Absent: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Digests by role, of the pins if there are some, and of the text of a template. */
  readonly digests: { readonly [Role in ValueRole | 'pins' | 'template']?: string | undefined }
}

/** An aspect in which two variables of one name can differ. */
export type Aspect = 'kind' | 'declaredType' | 'template' | AttributeName | ValueRole

/** The variables of one name, one for each stage. Undefined where a stage has none. */
export interface Aligned<Variable> {
  /** Name of the variables. */
  readonly name: string
  /** The variable of each stage, in the order of the stages. */
  readonly variables: readonly (Variable | undefined)[]
}

/**
 * Returns the variables of all stages by name, in the order of the wire. Never throws.
 *
 * @example
 * alignByName([[{ name: 'A' }], []]) // [{ name: 'A', variables: [{ name: 'A' }, undefined] }]
 */
export function alignByName<Variable extends Pick<Aligned<unknown>, 'name'>>(
  stages: readonly (readonly Variable[])[],
): Aligned<Variable>[] {
  const byName = stages.map((variables) => new Map(variables.map((variable) => [variable.name, variable])))
  const names = new Set(byName.flatMap((stage) => [...stage.keys()]))
  return [...names]
    .toSorted(compareCodePoints)
    .map((name) => ({ name, variables: byName.map((stage) => stage.get(name)) }))
}

/**
 * Returns whether every stored value opens. Never throws for a known kind.
 *
 * @example
 * opens({ kind: 'secret', digests: {} }) // false
 */
export function opens({ kind, digests }: DigestedState): boolean {
  return kinds[kind].values.every(({ role }) => digests[role] !== undefined)
}

/**
 * Returns the aspects that differ. Values of different kinds are not compared. A value that does not open equals no other.
 * Never throws for known kinds.
 *
 * @example
 * const roll = { kind: 'ab_roll', digests: { a: 'x', b: 'y' } } as const
 * differingAspects({ ...roll, chance: 0.1 }, { ...roll, chance: 0.2 }) // ['chance']
 */
export function differingAspects(left: DigestedState, right: DigestedState): Aspect[] {
  if (left.kind !== right.kind) return ['kind']
  const plain = (['declaredType', ...attributeNames] as const).filter((aspect) =>
    aspect === 'pinned' ? !havePinsInCommon(left, right) : !isSameAttribute(left[aspect], right[aspect]),
  )
  const roles = kinds[left.kind].values.map(({ role }) => role)
  const sealed = roles.filter((role) => {
    const digest = left.digests[role]
    return digest === undefined || digest !== right.digests[role]
  })
  return [...plain, ...(isSameTemplate(left, right) ? [] : (['template'] as const)), ...sealed]
}

/** Returns whether both are the same template, or neither is one. A template that does not open equals no other. */
function isSameTemplate(left: DigestedState, right: DigestedState): boolean {
  if (!left.template && !right.template) return true
  return left.digests.template !== undefined && left.digests.template === right.digests.template
}

/** Returns whether the pins are the same. Pins that do not open equal no others. */
function havePinsInCommon(left: DigestedState, right: DigestedState): boolean {
  if (!isSameAttribute(left.pinned, right.pinned)) return false
  return !left.pinned || (left.digests.pins !== undefined && left.digests.pins === right.digests.pins)
}

/**
 * Returns whether nothing differs. Never throws for known kinds.
 *
 * @example
 * isSame({ kind: 'secret', digests: { value: 'x' } }, { kind: 'secret', digests: { value: 'y' } }) // false
 */
export function isSame(left: DigestedState, right: DigestedState): boolean {
  return differingAspects(left, right).length === 0
}
