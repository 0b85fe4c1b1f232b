/** Tokens that no trust may accept, made from one that it does accept. */
import { createHmac } from 'node:crypto'
import { exportSPKI, generateKeyPair, importJWK, type CryptoKey, type JWK, type JWTPayload } from 'jose'
import { newIssuerKey, type TestIssuer } from '../../testkit/issuer.ts'

/** A name for people, and the token. */
type Hostile = readonly [what: string, token: string]

const day = 86_400

function base64url(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}

/** Signs texts that no library would sign, with the key of the issuer. */
async function signed(issuer: TestIssuer, header: unknown, claims: unknown): Promise<string> {
  const input = `${base64url(header)}.${base64url(claims)}`
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const jwk = (await crypto.subtle.exportKey('jwk', issuer.key.privateKey)) as JWK
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign(algorithm, key, Buffer.from(input))
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}

function nested(depth: number): object {
  let value: object = {}
  for (let i = 0; i < depth; i++) value = { a: value }
  return value
}

async function withAlgorithms(issuer: TestIssuer, claims: JWTPayload): Promise<Hostile[]> {
  const { publicJwk, kid } = issuer.key
  const publicKey = (await importJWK(publicJwk, 'RS256', { extractable: true })) as CryptoKey
  const secrets = [await exportSPKI(publicKey), JSON.stringify(publicJwk), publicJwk.n ?? '', '', 'secret']
  const byHmac = (['HS256', 'HS384', 'HS512'] as const).flatMap((alg) =>
    secrets.map((secret, index): Hostile => {
      const input = `${base64url({ alg, kid, typ: 'JWT' })}.${base64url(claims)}`
      const hash = alg.replace('HS', 'sha')
      return [`${alg} with secret ${index}`, `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`]
    }),
  )
  const valid = await issuer.sign(claims)
  const [, payload, signature] = valid.split('.')
  const unsigned = ['none', 'None', 'NONE', 'nOnE', '', null, undefined, 1, ['RS256'], { alg: 'RS256' }].flatMap(
    (alg): Hostile[] => {
      const header = base64url({ alg, kid, typ: 'JWT' })
      return [
        [`alg ${JSON.stringify(alg)} without a signature`, `${header}.${payload}.`],
        [`alg ${JSON.stringify(alg)} with the signature of another header`, `${header}.${payload}.${signature}`],
      ]
    },
  )
  const others = ['RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'EdDSA', 'RS1', 'RSA-OAEP', 'dir'].map(
    (alg): Hostile => [`alg ${alg} for a signature of RS256`, `${base64url({ alg, kid })}.${payload}.${signature}`],
  )
  return [...byHmac, ...unsigned, ...others]
}

async function withKeys(issuer: TestIssuer, claims: JWTPayload): Promise<Hostile[]> {
  const foreign = await newIssuerKey(issuer.key.kid)
  const elliptic = await generateKeyPair('ES256', { extractable: true })
  const own = foreign.publicJwk
  const embedded = [
    { jwk: own },
    { jku: 'http://127.0.0.1:9/jwks' },
    { x5u: 'http://127.0.0.1:9/x' },
    { x5c: ['AAAA'] },
  ]
  const headers: object[] = [
    ...embedded,
    ...embedded.map((each) => ({ ...each, kid: undefined })),
    { kid: '' },
    { kid: 'other' },
    { kid: '../../dev/null' },
    { kid: "' or 1=1 --" },
    { kid: '__proto__' },
    { kid: 'constructor' },
  ]
  const byForeign = await Promise.all(
    headers.map(async (header): Promise<Hostile> => [
      `another key and ${JSON.stringify(header).slice(0, 60)}`,
      await issuer.sign(claims, header, foreign.privateKey),
    ]),
  )
  const kids = await Promise.all(
    ['other', '', ' key-1', 'KEY-1', 'key-1 '].map(async (kid): Promise<Hostile> => [
      `the key under the id ${JSON.stringify(kid)}`,
      await issuer.sign(claims, { kid }),
    ]),
  )
  const odd = await Promise.all(
    [1, null, ['key-1'], { kid: 'key-1' }, true].map(async (kid): Promise<Hostile> => [
      `the id ${JSON.stringify(kid)} that is not a text`,
      await signed(issuer, { alg: 'RS256', kid }, claims),
    ]),
  )
  const es256 = await issuer.sign(claims, { alg: 'ES256' }, elliptic.privateKey)
  return [...byForeign, ...kids, ...odd, ['a key of another kind', es256]]
}

async function withHeaders(issuer: TestIssuer, claims: JWTPayload): Promise<Hostile[]> {
  const { kid } = issuer.key
  const basic = { alg: 'RS256', kid }
  const headers = [
    { ...basic, crit: ['exp'] },
    { ...basic, crit: ['b64'], b64: false },
    { ...basic, b64: true },
    { ...basic, crit: [] },
    ...['logout+jwt', 'at+jwt', 'JWE', '', 1, null].map((typ) => ({ ...basic, typ })),
    `{"alg":"RS256","alg":"none","kid":"${kid}"}`,
    `{"alg":"none","alg":"RS256","kid":"${kid}"}`,
    `{"alg":"RS256","kid":"${kid}","kid":"other"}`,
    `{"alg":"RS256","k\\u0069d":"${kid}","kid":"${kid}"}`,
    { ...basic, deep: nested(20) },
    'not JSON',
    '[]',
    'null',
    '""',
    { ...basic, pad: 'x'.repeat(40_000) },
  ]
  return Promise.all(
    headers.map(async (header): Promise<Hostile> => [
      `the header ${JSON.stringify(header).slice(0, 60)}`,
      await signed(issuer, header, claims),
    ]),
  )
}

/** Returns claims that are wrong, signed by the issuer. */
function wrongClaims({ iss = '', aud, iat = 0, ...rest }: JWTPayload): object[] {
  const valid = { iss, aud, iat, ...rest }
  const issuers = [
    `${iss}/`,
    iss.toUpperCase(),
    `${iss}.evil.example`,
    ` ${iss}`,
    'https://gitlab.com',
    [iss],
    undefined,
    null,
    { iss },
  ]
  const audiences = [
    `${String(aud)}/`,
    String(aud).toUpperCase(),
    `${String(aud)}.evil.example`,
    String(aud).slice(0, -1),
    'https://other.example',
    [],
    ['https://other.example'],
    [[aud]],
    { [String(aud)]: true },
    '',
    undefined,
    null,
    true,
    String(aud).split(''),
    [`${String(aud)}.evil.example`, 'https://other.example'],
    ` ${String(aud)}`,
    0,
  ]
  const times = [
    ...[iat - 60, iat - 3_600, 0, -1, undefined, null, String(iat + 300), [iat + 300], 1e300, true].map((exp) => ({
      exp,
    })),
    ...[iat + 60, iat + 3_600, 1e300, String(iat), null, [iat], {}].map((nbf) => ({ nbf })),
    ...[iat + 60, iat - day - 60, 0, undefined, null, String(iat), [iat], -iat].map((issued) => ({ iat: issued })),
  ]
  const workloads = [
    { repository_id: '424243' },
    { repository_id: 424243 },
    { repository_id: '4242420' },
    { repository_id: ' 424242' },
    { repository_id: undefined },
    { repository_id: null },
    { repository_id: ['1', '2'] },
    { repository_id: [['424242']] },
    { repository_id: { id: '424242' } },
    { repository_id: '424242\u0000' },
    { repository_id: '*' },
    { ref: 'refs/heads/MAIN' },
    { ref: 'refs/heads/main2' },
    { ref: 'main' },
    { ref: 'refs/heads/*' },
    { ref: undefined },
    { ref: true },
    // Renamed: another repository took the name, and has another id.
    { repository_id: '777', repository: 'acme/shop', sub: 'repo:acme/shop:ref:refs/heads/main' },
    { repository_id: '777', repository: 'acme/shop', sub: 'repo:acme-2020/shop-424242:ref:refs/heads/main' },
    // Of forks.
    { event_name: 'pull_request' },
    { event_name: 'pull_request_target' },
    { event_name: 'pull_request_review' },
    { event_name: 'pull_request_review_comment' },
    { ref: 'refs/pull/7/merge', event_name: 'pull_request' },
    { project_id: '1002', job_project_id: '1001' },
    { project_id: '1001', pipeline_source: 'merge_request_event' },
    { 'oidc.circleci.com/vcs-ref': 'refs/pull/7' },
  ]
  const changes: object[] = [
    ...issuers.map((changed) => ({ iss: changed })),
    ...audiences.map((changed) => ({ aud: changed })),
    ...times,
    ...workloads,
  ]
  return changes.map((change) => ({ ...valid, ...change }))
}

async function withTexts(issuer: TestIssuer, claims: JWTPayload): Promise<Hostile[]> {
  const { kid } = issuer.key
  const header = { alg: 'RS256', kid, typ: 'JWT' }
  const text = JSON.stringify(claims)
  const texts = [
    `${text.slice(0, -1)},"repository_id":"424242"}`,
    `{"repository_id":"1",${text.slice(1)}`,
    `{"aud":"x",${text.slice(1)}`,
    `${text.slice(0, -1)},"ex\\u0070":1}`,
    `${text.slice(0, -1)},"a":{"b":1,"b":2}}`,
    `${text.slice(0, -1)},"a":[{"b":1,"b":2}]}`,
    JSON.stringify({ ...claims, deep: nested(20) }),
    `${text.slice(0, -1)},"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    JSON.stringify([claims]),
    'null',
    '1',
    '""',
    '',
    '{}',
    `${text} `.slice(1),
    `\uFEFF{"a":1}x`,
  ]
  const tokens = await Promise.all(
    texts.map(async (each, index): Promise<Hostile> => [
      `claims as the text ${index}`,
      await signed(issuer, header, each),
    ]),
  )
  const valid = await issuer.sign(claims)
  const [head, payload, signature] = valid.split('.') as [string, string, string]
  const framed: Hostile[] = [
    ['two parts', `${head}.${payload}`],
    ['four parts', `${valid}.${signature}`],
    ['five parts', `${valid}.a.b`],
    ['an empty part', `${head}..${signature}`],
    ['no signature', `${head}.${payload}.`],
    ['a changed signature', `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`],
    ['a short signature', `${head}.${payload}.${signature.slice(0, 40)}`],
    ['changed claims', `${head}.${base64url({ ...claims, repository_id: '424242', x: 1 })}.${signature}`],
    ['a signature of zeros', `${head}.${payload}.${'A'.repeat(342)}`],
    ['a signature of ones', `${head}.${payload}.${'_'.repeat(341)}w`],
    ['the signature twice', `${head}.${payload}.${signature}${signature}`],
    ['swapped parts', `${payload}.${head}.${signature}`],
    ['line breaks', `${head}.\n${payload}.${signature}`],
    ['percent escapes', encodeURIComponent(`${head}.${payload}=.${signature}`)],
    ['padding', `${head}.${payload}.${signature}=`],
    ['other base64', `${head}.${payload}.${signature.slice(0, -1)}+`],
    ['spaces', `${head} .${payload}.${signature}`],
    ['JSON', JSON.stringify({ payload, protected: head, signature })],
    ['JSON of many signatures', JSON.stringify({ payload, signatures: [{ protected: head, signature }] })],
    ['an encrypted token', `${base64url({ alg: 'dir', enc: 'A128GCM' })}..AAAA.AAAA.AAAA`],
    ['a token of Rollkey', `svc_at_${'A'.repeat(43)}`],
    ['one that is too long', await issuer.sign({ ...claims, pad: 'x'.repeat(30_000) })],
    ['a prefix', `Bearer ${valid}`],
  ]
  return [...tokens, ...framed]
}

/** Returns tokens of the issuer, or of others, that a trust for `claims` must refuse. */
export async function hostileTokens(issuer: TestIssuer, claims: JWTPayload): Promise<Hostile[]> {
  const { kid } = issuer.key
  const byClaims = await Promise.all(
    wrongClaims(claims).map(async (wrong, index): Promise<Hostile> => [
      `wrong claims ${index}: ${JSON.stringify(wrong)}`,
      await signed(issuer, { alg: 'RS256', kid, typ: 'JWT' }, wrong),
    ]),
  )
  return [
    ...(await withAlgorithms(issuer, claims)),
    ...(await withKeys(issuer, claims)),
    ...(await withHeaders(issuer, claims)),
    ...(await withTexts(issuer, claims)),
    ...byClaims,
  ]
}
