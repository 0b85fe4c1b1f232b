/** What sets two states of a variable apart, in words. Values are unseen: their digests tell. */
import { percentText } from '../base/chance.ts'
import type { State } from './change.ts'
import { kindNames, typeNames } from './words.ts'

export type Role = keyof State['digests']

export const roleNames: Readonly<Record<Role, string>> = { value: 'value', a: 'value A', b: 'value B' }

export const roles = Object.keys(roleNames) as readonly Role[]

/** The digests that the state has; a value that cannot be opened has none. */
export function digestsOf({ digests }: State): readonly (readonly [role: Role, digest: string])[] {
  return roles.flatMap((role) => {
    const digest = digests[role]
    return digest === undefined ? [] : [[role, digest] as const]
  })
}

function typeText({ declaredType }: State): string {
  return declaredType === undefined ? 'not declared' : typeNames[declaredType]
}

function chanceText({ chance }: State): string | undefined {
  return chance === undefined ? undefined : percentText(chance)
}

/** Such as ["A/B roll", "text", "chance 10 %"]. */
export function factsOf(state: State): readonly string[] {
  const chance = chanceText(state)
  return [
    kindNames[state.kind],
    ...(state.declaredType === undefined ? [] : [typeText(state)]),
    ...(chance === undefined ? [] : [`chance ${chance}`]),
  ]
}

/** Such as ["value A changed", "chance 10 % → 25 %"]. `valueWords`: what is said of another value. */
export function differences(
  before: State,
  after: State,
  valueWords: (role: Role, digest: string) => string = () => 'changed',
): readonly string[] {
  const pairs = [
    ['', kindNames[before.kind], kindNames[after.kind]],
    ['type ', typeText(before), typeText(after)],
    ['chance ', chanceText(before), chanceText(after)],
  ] as const
  const facts = pairs.flatMap(([what, from, to]) =>
    from === to || to === undefined ? [] : [`${what}${from === undefined ? '' : `${from} → `}${to}`],
  )
  if (before.kind !== after.kind) return facts
  const values = digestsOf(after).flatMap(([role, digest]) =>
    before.digests[role] === digest ? [] : [`${roleNames[role]} ${valueWords(role, digest)}`],
  )
  return [...values, ...facts]
}
