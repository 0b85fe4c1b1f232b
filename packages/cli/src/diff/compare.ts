import { alignByName, differingAspects, opens, type Aspect, type DigestedState } from '@rollkey/contract/rules'

type DigestedVariable = DigestedState & { readonly name: string }
type Side = 'left' | 'right'

export interface Row {
  readonly name: string
  readonly state: 'only-in-left' | 'only-in-right' | 'different' | 'same'
  /** The aspects that differ, if the state is `different`. */
  readonly differs?: readonly Aspect[]
  /** The sides whose stored value cannot be opened, which makes it equal to no other. Absent if all values open. */
  readonly unopened?: readonly Side[]
}

/** Returns a row for each name of either stage. */
export function compare(left: readonly DigestedVariable[], right: readonly DigestedVariable[]): Row[] {
  return alignByName([left, right]).map(({ name, variables: [one, other] }) => rowOf(name, one, other))
}

function rowOf(name: string, left: DigestedVariable | undefined, right: DigestedVariable | undefined): Row {
  const unopened = Object.entries({ left, right }).flatMap(([side, variable]) =>
    !variable || opens(variable) ? [] : [side as Side],
  )
  const row = { name, ...(unopened.length > 0 && { unopened }) }
  if (!right) return { ...row, state: 'only-in-left' }
  if (!left) return { ...row, state: 'only-in-right' }
  const differs = differingAspects(left, right)
  return differs.length > 0 ? { ...row, state: 'different', differs } : { ...row, state: 'same' }
}
