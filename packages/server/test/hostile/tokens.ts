/** Valid and invalid provider tokens, by the names of the placeholders. */
import { createHmac } from 'node:crypto'
import { exportJWK, exportSPKI, generateKeyPair, importJWK, type CryptoKey, type JWTPayload } from 'jose'
import type { TestProvider, TestUser } from '../../testkit/provider.ts'

type Maker = (provider: TestProvider, user: TestUser, listener: string) => Promise<string>

const foreign = await generateKeyPair('RS256', { extractable: true })

function base64url(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}

async function publicKey(provider: TestProvider): Promise<CryptoKey> {
  return (await importJWK(provider.keys.publicJwk, 'RS256', { extractable: true })) as CryptoKey
}

/** Signs a token without a library, which would refuse it. */
function byHand(header: object, claims: unknown, sign: (input: string) => string): string {
  const input = `${base64url(header)}.${base64url(claims)}`
  return `${input}.${sign(input)}`
}

function hmac(key: string | Buffer) {
  return (input: string): string => createHmac('sha256', key).update(input).digest('base64url')
}

function withClaims(change: (claims: JWTPayload, provider: TestProvider, user: TestUser) => JWTPayload): Maker {
  return (provider, user) => provider.sign(change(provider.claimsOf(user), provider, user))
}

function without(name: string): Maker {
  return withClaims((claims) => {
    const { [name]: _, ...rest } = claims
    return rest
  })
}

function withHeader(header: object): Maker {
  return (provider, user) => provider.sign(provider.claimsOf(user), header)
}

function at(claim: 'exp' | 'nbf' | 'iat', secondsFromNow: number): Maker {
  return withClaims((claims) => ({ ...claims, [claim]: (claims.iat ?? 0) + secondsFromNow }))
}

const hs256: object = { alg: 'HS256', kid: 'test-key', typ: 'JWT' }

async function rsSign(provider: TestProvider, header: object, claims: unknown, algorithm = 'SHA-256'): Promise<string> {
  const jwk = await exportJWK(provider.keys.privateKey)
  const key = await crypto.subtle.importKey('jwk', { ...jwk }, { name: 'RSASSA-PKCS1-v1_5', hash: algorithm }, false, [
    'sign',
  ])
  const input = `${base64url(header)}.${base64url(claims)}`
  const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key, Buffer.from(input))
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}

const rs256 = { alg: 'RS256', kid: 'test-key', typ: 'JWT' }

export const tokenMakers: Readonly<Record<string, Maker>> = {
  idpJwt: (provider, user) => provider.tokenOf(user),

  jwtAlgNoneMixedCase: async (provider, user) => byHand({ alg: 'nOnE' }, provider.claimsOf(user), () => ''),
  jwtHs256PublicKeyPem: async (provider, user) =>
    byHand(hs256, provider.claimsOf(user), hmac(await exportSPKI(await publicKey(provider)))),
  jwtHs256PublicKeyDer: async (provider, user) => {
    const der = Buffer.from(await crypto.subtle.exportKey('spki', await publicKey(provider)))
    return byHand(hs256, provider.claimsOf(user), hmac(der))
  },
  jwtHs256JwkJson: async (provider, user) =>
    byHand(hs256, provider.claimsOf(user), hmac(JSON.stringify(provider.keys.publicJwk))),
  jwtHs256EmptyKey: async (provider, user) => byHand(hs256, provider.claimsOf(user), hmac('')),

  jwtWrongIssuer: withClaims((claims) => ({ ...claims, iss: 'https://other.example' })),
  jwtIssuerPrefix: withClaims((claims) => ({ ...claims, iss: `${claims.iss}.evil.example` })),
  jwtIssuerMissing: without('iss'),
  jwtExpired: at('exp', -120),
  jwtExpiredBeyondLeeway: at('exp', -15),
  jwtExpiredWithinLeeway: at('exp', -2),
  jwtExpiredSixSeconds: at('exp', -6),
  jwtNotBeforeInFiveSeconds: at('nbf', 5),
  jwtNoExp: without('exp'),
  jwtExpString: (provider, user) =>
    rsSign(provider, rs256, { ...provider.claimsOf(user), exp: String(provider.claimsOf(user).exp) }),
  jwtExpNull: (provider, user) => rsSign(provider, rs256, { ...provider.claimsOf(user), exp: null }),
  jwtFutureIat: at('iat', 600),

  jwtNoOrg: withClaims((claims) => ({ ...claims, org_id: undefined, org_slug: undefined })),
  jwtOrgNull: withClaims((claims) => ({ ...claims, org_id: null, org_slug: null })),
  jwtOrgEmptyString: withClaims((claims) => ({ ...claims, org_id: '', org_slug: '' })),
  jwtOrgProto: withClaims((claims) => ({ ...claims, org_slug: '__proto__' })),
  jwtWrongAud: withClaims((claims) => ({ ...claims, aud: 'other' })),
  jwtAudArrayWithoutUs: withClaims((claims) => ({ ...claims, aud: ['x', 'y'] })),
  jwtWrongAzp: withClaims((claims) => ({ ...claims, azp: 'https://evil.example' })),
  jwtSessionPending: withClaims((claims) => ({ ...claims, sts: 'pending' })),

  jwtKidUnknown: withHeader({ kid: 'nope' }),
  jwtKidUrl: (provider, user, listener) => provider.sign(provider.claimsOf(user), { kid: listener }),
  jwtKidNumber: (provider, user) => rsSign(provider, { ...rs256, kid: 1 }, provider.claimsOf(user)),
  jwtKidLong: withHeader({ kid: 'k'.repeat(8_192) }),
  jwtKidRandom: (provider, user) => provider.sign(provider.claimsOf(user), { kid: crypto.randomUUID() }),
  jwtJku: (provider, user, listener) =>
    provider.sign(provider.claimsOf(user), { kid: 'foreign', jku: listener }, foreign.privateKey),
  jwtJkuGoodSignature: (provider, user, listener) =>
    provider.sign(provider.claimsOf(user), { jku: listener, x5u: listener }),
  jwtX5u: (provider, user, listener) =>
    provider.sign(provider.claimsOf(user), { kid: 'foreign', x5u: listener }, foreign.privateKey),
  jwtX5c: (provider, user) =>
    provider.sign(provider.claimsOf(user), { kid: 'foreign', x5c: ['MIIB'] }, foreign.privateKey),
  jwtCritUnknown: (provider, user) => rsSign(provider, { ...rs256, crit: ['x'], x: 1 }, provider.claimsOf(user)),
  jwtB64False: (provider, user) => rsSign(provider, { ...rs256, b64: false, crit: ['b64'] }, provider.claimsOf(user)),
  jweZip: async () => `${base64url({ alg: 'RSA-OAEP', enc: 'A256GCM', zip: 'DEF' })}.AAAA.AAAA.AAAA.AAAA`,
  jwtSignatureOfOtherToken: async (provider, user) => {
    const other = await provider.sign({ ...provider.claimsOf(user), jti: 'other' })
    const token = await provider.tokenOf(user)
    return `${token.slice(0, token.lastIndexOf('.'))}.${other.split('.')[2]}`
  },
  jwtOtherKeySameKid: (provider, user) => provider.sign(provider.claimsOf(user), {}, foreign.privateKey),
  jwtEs256ZeroSignature: async (provider, user) =>
    byHand({ ...rs256, alg: 'ES256' }, provider.claimsOf(user), () => Buffer.alloc(64).toString('base64url')),
  jwtRs512: (provider, user) => rsSign(provider, { ...rs256, alg: 'RS512' }, provider.claimsOf(user), 'SHA-512'),
  jwtTypIdToken: withHeader({ typ: 'logout+jwt' }),
  jwtPayloadArray: (provider) => rsSign(provider, rs256, []),
  jwtTwoParts: async (provider, user) => (await provider.tokenOf(user)).split('.').slice(0, 2).join('.'),
}
