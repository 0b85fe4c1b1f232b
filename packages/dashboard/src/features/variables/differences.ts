/** What sets two states of a variable apart, in words. Values are unseen: their digests tell. */
import { attributeNames, attributes, kinds, type AttributeName, type ValueRole } from '@rollkey/contract/rules'
import type { State } from './change.ts'
import { attributeEntries, attributeText, kindName, typeNames } from './labels.ts'

interface DigestedValue {
  readonly role: ValueRole
  /** Such as "value A". */
  readonly label: string
  readonly digest: string
}

/** The digests that the state has; a value that cannot be opened has none. */
export function digestsOf({ kind, digests }: Pick<State, 'kind' | 'digests'>): readonly DigestedValue[] {
  return kinds[kind].values.flatMap(({ role, label }) => {
    const digest = digests[role]
    return digest === undefined ? [] : [{ role, label, digest }]
  })
}

function typeText({ declaredType }: State): string {
  return declaredType === undefined ? 'not declared' : typeNames[declaredType]
}

function attributeTextOf(state: State, name: AttributeName): string | undefined {
  const value = state[name] ?? attributes[name].none
  return value === undefined ? undefined : attributeText(name, value)
}

/** Such as ["A/B roll", "text", "chance 10 %"]. */
export function factsOf(state: State): readonly string[] {
  return [
    kindName(state.kind),
    ...(state.declaredType === undefined ? [] : [typeText(state)]),
    ...attributeEntries(state).map(([name, value]) => `${name} ${attributeText(name, value)}`),
  ]
}

/** Such as ["value A changed", "chance 10 % → 25 %"]. `valueWords`: what is said of another value. */
export function differences(
  before: State,
  after: State,
  valueWords: (role: ValueRole, digest: string) => string = () => 'changed',
): readonly string[] {
  const pairs = [
    ['', kindName(before.kind), kindName(after.kind)],
    ['type ', typeText(before), typeText(after)],
    ...attributeNames.map((name) => [`${name} `, attributeTextOf(before, name), attributeTextOf(after, name)] as const),
  ] as const
  const facts = pairs.flatMap(([what, from, to]) =>
    from === to || to === undefined ? [] : [`${what}${from === undefined ? '' : `${from} → `}${to}`],
  )
  if (before.kind !== after.kind) return facts
  const values = digestsOf(after).flatMap(({ role, label, digest }) =>
    before.digests[role] === digest ? [] : [`${label} ${valueWords(role, digest)}`],
  )
  return [...values, ...facts]
}
