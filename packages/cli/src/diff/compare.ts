import type { Answer } from '@rollkey/sdk'

type DigestedVariable = Answer<'digests'>['variables'][number]

/** An aspect in which two variables of one name can differ. */
type Aspect = 'kind' | 'declaredType' | 'chance' | Role
type Role = 'value' | 'a' | 'b'
type Side = 'left' | 'right'

const roles: Readonly<Record<DigestedVariable['kind'], readonly Role[]>> = { secret: ['value'], ab_roll: ['a', 'b'] }

export interface Row {
  readonly name: string
  readonly state: 'only-in-left' | 'only-in-right' | 'different' | 'same'
  /** The aspects that differ, if the state is `different`. */
  readonly differs?: readonly Aspect[]
  /** The sides whose stored value cannot be opened, which makes it equal to no other. Absent if all values open. */
  readonly unopened?: readonly Side[]
}

/** Returns a row for each name: first the names of the left stage in their order, then those only in the right one. */
export function compare(left: readonly DigestedVariable[], right: readonly DigestedVariable[]): Row[] {
  const inLeft = new Set(left.map(({ name }) => name))
  const inRight = new Map(right.map((variable) => [variable.name, variable]))
  return [
    ...left.map((variable) => rowOf(variable.name, variable, inRight.get(variable.name))),
    ...right.filter(({ name }) => !inLeft.has(name)).map((variable) => rowOf(variable.name, undefined, variable)),
  ]
}

function rowOf(name: string, left: DigestedVariable | undefined, right: DigestedVariable | undefined): Row {
  const unopened = Object.entries({ left, right }).flatMap(([side, variable]) =>
    !variable || opens(variable) ? [] : [side as Side],
  )
  const row = { name, ...(unopened.length > 0 && { unopened }) }
  if (!right) return { ...row, state: 'only-in-left' }
  if (!left) return { ...row, state: 'only-in-right' }
  const differs = aspectsOf(left, right)
  return differs.length > 0 ? { ...row, state: 'different', differs } : { ...row, state: 'same' }
}

function opens({ kind, digests }: DigestedVariable): boolean {
  return roles[kind].every((role) => digests[role] !== undefined)
}

/** Returns the aspects that differ. Values of different kinds are not compared. */
function aspectsOf(left: DigestedVariable, right: DigestedVariable): Aspect[] {
  if (left.kind !== right.kind) return ['kind']
  const plain = (['declaredType', 'chance'] as const).filter((aspect) => left[aspect] !== right[aspect])
  const sealed = roles[left.kind].filter((role) => {
    const digest = left.digests[role]
    return digest === undefined || digest !== right.digests[role]
  })
  return [...plain, ...sealed]
}
