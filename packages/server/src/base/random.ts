import { randomBytes, randomInt } from 'node:crypto'

/** A new internal id: it never changes and means nothing, so a rename needs no second thought. */
export function newId(prefix: 'org' | 'prj' | 'stg' | 'ses' | 'dev' | 'tok'): string {
  return `${prefix}_${randomBytes(15).toString('base64url')}`
}

/** A credential: the prefix and 32 random bytes as base64url (RULINGS, "Tokens"). */
export function newToken(prefix: 'svc_at_' | 'svc_rt_' | 'svc_dc_' | 'svc_st_'): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** `length` letters of the alphabet, each equally likely. */
export function newCode(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
