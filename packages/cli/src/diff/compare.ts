import type { Answer } from '@rollkey/sdk'

type Digested = Answer<'digests'>['variables'][number]

/** What can differ between two variables of one name. */
type Aspect = 'kind' | 'declaredType' | 'chance' | 'value' | 'a' | 'b'

export interface Row {
  readonly name: string
  readonly state: 'only-in-left' | 'only-in-right' | 'different' | 'same'
  /** Of `different`. */
  readonly differs?: readonly Aspect[]
}

/** A row for each name of either stage: first the left one's in their order, then what only the right one has. */
export function compare(left: readonly Digested[], right: readonly Digested[]): Row[] {
  const inLeft = new Set(left.map(({ name }) => name))
  const inRight = new Map(right.map((variable) => [variable.name, variable]))
  return [
    ...left.map((variable) => rowOf(variable, inRight.get(variable.name))),
    ...right.filter(({ name }) => !inLeft.has(name)).map(({ name }) => ({ name, state: 'only-in-right' }) as const),
  ]
}

function rowOf(left: Digested, right: Digested | undefined): Row {
  const { name } = left
  if (!right) return { name, state: 'only-in-left' }
  const differs = aspectsOf(left, right)
  return differs.length > 0 ? { name, state: 'different', differs } : { name, state: 'same' }
}

/** Of another kind there is no value to compare with. */
function aspectsOf(left: Digested, right: Digested): Aspect[] {
  if (left.kind !== right.kind) return ['kind']
  const plain = (['declaredType', 'chance'] as const).filter((aspect) => left[aspect] !== right[aspect])
  const sealed = (['value', 'a', 'b'] as const).filter((aspect) => left.digests[aspect] !== right.digests[aspect])
  return [...plain, ...sealed]
}
