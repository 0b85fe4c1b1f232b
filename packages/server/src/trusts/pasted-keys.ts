/** The public keys that a person pastes into a trust, for an issuer whose address is private (RFC 7517). */
import { createPublicKey } from 'node:crypto'
import { limits } from '@rollkey/contract'
import type { JSONWebKeySet, JWK } from 'jose'
import { ApiError } from '../base/api-error.ts'
import { parseUniqueObject } from './json-members.ts'

/** Members of a private or symmetric key (RFC 7518, section 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
/** Members that are stored. */
const publicMembers = ['kty', 'n', 'e', 'crv', 'x', 'y', 'kid', 'alg', 'use'] as const
/** Uses of a key: of RFC 7517, and of a SPIFFE bundle (SPIFFE Trust Domain and Bundle, section 4.1.3). */
const uses = ['sig', 'jwt-svid', 'x509-svid']
const curves = ['P-256', 'P-384', 'P-521', 'Ed25519']
const minRsaBits = 2_048
/** OpenSSL refuses larger moduli, and checking a signature becomes slow. */
const maxRsaBits = 8_192

function refuse(problem: string): never {
  throw new ApiError('INVALID_REQUEST', `jwks ${problem}`)
}

/** Returns the text of the keys as it is stored. Throws INVALID_REQUEST, without quoting a key. */
export function checkedKeys(text: string): string {
  const keys = parseUniqueObject(text)?.['keys']
  if (!Array.isArray(keys))
    refuse('is not a JSON Web Key Set (expected {"keys": […]}): paste what the issuer publishes at its jwks_uri.')
  if (keys.length === 0 || keys.length > limits.trustKeys)
    refuse(`has ${keys.length} keys (expected 1 to ${limits.trustKeys}): keep those that sign tokens.`)
  const checked = keys
    .map((key, index) => checkedKey(key, `key ${index + 1}`))
    // A SPIFFE bundle also has certificates of workloads.
    .filter(({ use }) => use !== 'x509-svid')
    .map((key) => ({ ...key, ...(key.use === 'jwt-svid' && { use: 'sig' }) }))
  if (checked.length === 0) refuse('has no key that signs tokens: paste the keys of the issuer of the tokens.')
  const ids = checked.map(({ kid }) => kid).filter((kid) => kid !== undefined)
  if (new Set(ids).size < ids.length) refuse('has two keys with the same kid: keep one of them.')
  return JSON.stringify({ keys: checked } satisfies JSONWebKeySet)
}

function checkedKey(given: unknown, which: string): JWK {
  if (typeof given !== 'object' || given === null) return refuse(`has a ${which} that is not an object: correct it.`)
  if (privateMembers.some((member) => Object.hasOwn(given, member)))
    refuse(`has a ${which} with private members: consider this key as known to others, and paste only public keys.`)
  const members = Object.entries(given).filter(([name]) => (publicMembers as readonly string[]).includes(name))
  const key = Object.fromEntries(members) as JWK
  if (members.some(([, value]) => typeof value !== 'string')) refuse(`has a ${which} with members that are not texts.`)
  if (key.use !== undefined && !uses.includes(key.use))
    refuse(`has a ${which} that is not for signatures: leave it out.`)
  assertStrong(key, which)
  return key
}

function assertStrong(key: JWK, which: string): void {
  const isKnown = key.kty === 'RSA' || ((key.kty === 'EC' || key.kty === 'OKP') && curves.includes(key.crv ?? ''))
  if (!isKnown) refuse(`has a ${which} of another kind (expected RSA, ${curves.join(', ')}): leave it out.`)
  const bits = modulusBits(key, which)
  if (bits !== undefined && (bits < minRsaBits || bits > maxRsaBits))
    refuse(`has a ${which} of ${bits} bits (expected ${minRsaBits} to ${maxRsaBits}): use a key of that size.`)
}

/** Returns the size of an RSA key, and undefined for others. Throws INVALID_REQUEST for what is not a key. */
function modulusBits(key: JWK, which: string): number | undefined {
  try {
    return createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails?.modulusLength
  } catch {
    return refuse(`has a ${which} that is not a valid key: paste it again.`)
  }
}
