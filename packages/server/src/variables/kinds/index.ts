import type { Kind } from '@rollkey/contract'
import { abRoll } from './ab-roll.ts'
import type { VariableKind } from './kind.ts'
import { secret } from './secret.ts'

/** Every kind by its name on the wire. An entry always meets the rules of its own kind. */
export const kinds = { secret, ab_roll: abRoll } as Record<Kind, VariableKind>
