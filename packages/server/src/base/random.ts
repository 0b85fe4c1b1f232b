import { randomBytes, randomInt } from 'node:crypto'

/** Returns a new internal id. It is random and never changes, so renaming a resource is always safe. */
export function newId(
  prefix: 'org' | 'prj' | 'stg' | 'ses' | 'dev' | 'grp' | 'tok' | 'tru' | 'key' | 'chg' | 'hok' | 'mai' | 'nod',
): string {
  return `${prefix}_${randomBytes(15).toString('base64url')}`
}

/** Returns a new credential: the prefix and 32 random bytes as base64url. */
export function newToken(prefix: 'svc_at_' | 'svc_rt_' | 'svc_dc_' | 'svc_st_' | 'svc_ck_'): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** Returns `length` letters of the alphabet, each equally likely. */
export function newCode(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
