import type { Kind } from '@rollkey/contract'
import { abRoll } from './ab-roll.ts'
import type { VariableKind } from './kind.ts'
import { secret } from './secret.ts'

/** All kinds by their names on the wire. An entry is always passed to the rules of its kind, which the cast relies on. */
export const kinds = { secret, ab_roll: abRoll } as Record<Kind, VariableKind>
