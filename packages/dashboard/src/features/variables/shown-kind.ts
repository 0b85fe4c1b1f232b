import type { Attributes, Kind } from '@rollkey/contract/rules'

/** The kinds that people tell apart: a secret that is exposed is a plain variable. */
export const shownKinds = ['secret', 'plain', 'ab_roll'] as const
export type ShownKind = (typeof shownKinds)[number]

export const shownKindNames: Readonly<Record<ShownKind, string>> = {
  secret: 'Secret',
  plain: 'Plain',
  ab_roll: 'A/B roll',
}

/** Whether people see the values without revealing them. */
export function isExposed({ exposure = 'secret' }: Attributes): boolean {
  return exposure !== 'secret'
}

export function shownKindOf(variable: Attributes & { readonly kind: Kind }): ShownKind {
  return variable.kind === 'secret' && isExposed(variable) ? 'plain' : variable.kind
}
