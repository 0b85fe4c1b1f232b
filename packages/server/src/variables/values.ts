/** The values of a variable, one for each role of its kind, between plaintext and what is stored. */
import type { Kind } from '@rollkey/contract'
import type { Sealer } from '../crypto/seal.ts'
import { kinds } from './kinds/index.ts'
import type { StoredVariable } from './kinds/kind.ts'
import { pack } from './payloads.ts'

/** What a value is sealed for, beside its stage and role. */
interface Named {
  readonly name: string
  readonly kind: Kind
}

const nothing = Buffer.alloc(0)

/** The packed payloads. Throws CannotSeal. */
export function sealValues(sealer: Sealer, { name, kind }: Named, values: readonly (string | Buffer)[]): Buffer {
  return pack(kinds[kind].roles.map((role, index) => sealer.seal(name, kind, role, values[index] ?? nothing)))
}

/** The plaintext bytes of one role. Throws CannotOpen. */
export function openValue(
  sealer: Sealer,
  { name, kind, payloads }: Named & Pick<StoredVariable, 'payloads'>,
  role: number,
): Buffer {
  return sealer.open(name, kind, kinds[kind].roles[role] ?? '', payloads[role] ?? nothing)
}

/** The plaintext bytes of all roles, in their order. Throws CannotOpen. */
export function openValues(sealer: Sealer, variable: Named & Pick<StoredVariable, 'payloads'>): Buffer[] {
  return kinds[variable.kind].roles.map((_, role) => openValue(sealer, variable, role))
}
