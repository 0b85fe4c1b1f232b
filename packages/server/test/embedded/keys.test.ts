/** The embedded provider's tokens are like those of any OpenID provider, and its keys are rotated and revoked. */
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import { startTestApp } from '../../testkit/app.ts'
import { TestClock } from '../../testkit/clock.ts'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { setUp } from '../../testkit/person.ts'
import { runMain } from '../../testkit/process.ts'
import { queryIdentity } from '../../testkit/store.ts'

const clock = new TestClock()
const app = useEmbeddedApp({}, { clock })
const at = { orgSlug: 'acme', projectSlug: 'p', stageSlug: 's' }

async function statusOf(token: string): Promise<number> {
  return (await app.client.call('list', at, { token })).status
}

describe('a token of the embedded provider', () => {
  test('is verified through discovery and JWKS like that of any other provider', async () => {
    const { body: metadata } = await app.client.get('/.well-known/openid-configuration')
    const { payload, protectedHeader } = await jwtVerify(
      await app.owner.token(),
      createRemoteJWKSet(new URL(metadata.jwks_uri as string)),
      { issuer: metadata.issuer as string, algorithms: ['ES256'] },
    )
    expect(protectedHeader.kid).toBeTruthy()
    expect(payload).toMatchObject({ org_slug: 'acme', org_id: expect.any(String), sub: expect.any(String) })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60)
  })

  test('publishes no private key', async () => {
    const { body } = await app.client.get('/identity/jwks')
    for (const key of body.keys as object[]) expect(Object.keys(key)).not.toContain('d')
  })

  test('is valid for 60 seconds, plus ten seconds of leeway', async () => {
    const token = await app.owner.token()
    const issuedAtMs = (decodeJwt(token).iat ?? 0) * 1_000
    // This holds however long an answer takes.
    clock.freezeAt(issuedAtMs + 69_999)
    expect(await statusOf(token)).toBe(200)
    clock.freezeAt(issuedAtMs + 71_000)
    expect(await statusOf(token)).toBe(401)
    clock.freezeAt(Date.now())
    clock.run()
  })

  test('of another installation is refused', async () => {
    const other = await startTestApp({}, { clock })
    const stranger = await setUp(other)
    expect(await statusOf(await stranger.token())).toBe(401)
  })
})

describe('a signing key', () => {
  const kidOf = (token: string): string | undefined => decodeProtectedHeader(token).kid

  test('is replaced after its lifetime; tokens of both keys are accepted', async () => {
    const before = await app.owner.token()
    await queryIdentity(app.dataDir, 'update jwks set "expiresAt" = $1', new Date(Date.now() - 1_000).toISOString())
    const after = await app.owner.token()
    expect(kidOf(after)).not.toBe(kidOf(before))
    expect([await statusOf(before), await statusOf(after), await statusOf(before)]).toEqual([200, 200, 200])
  })

  test('is refused within a second after it was revoked; people stay signed in', async () => {
    const before = await app.owner.token()
    expect(await statusOf(before)).toBe(200)
    const { code } = await runMain({ DATA_DIR: app.dataDir }, ['signing-keys', 'revoke'])
    expect(code).toBe(0)
    clock.advance(1_001)
    expect(await statusOf(before)).toBe(401)
    const after = await app.owner.token()
    expect(kidOf(after)).not.toBe(kidOf(before))
    expect(await statusOf(after)).toBe(200)
  })

  test('signs nothing if it is damaged, and only the log has the details', async () => {
    // The first token creates the key.
    await app.owner.token()
    const written = vi.spyOn(console, 'error')
    const [row] = await queryIdentity(app.dataDir, 'select "privateKey" as sealed from jwks order by "createdAt" desc')
    const sealed = String(row?.['sealed'])
    const text = 'update jwks set "privateKey" = $1 where "privateKey" = $2'
    for (const place of [1, sealed.length >> 1, sealed.length - 2]) {
      const damaged = sealed.slice(0, place) + (sealed[place] === '0' ? '1' : '0') + sealed.slice(place + 1)
      await queryIdentity(app.dataDir, text, damaged, sealed)
      const { status, body } = await app.owner.get('/token')
      expect([status, body.error.code]).toEqual([500, 'INTERNAL'])
      await queryIdentity(app.dataDir, text, sealed, damaged)
    }
    expect(app.log.filter((line) => line.includes('"level":"error"'))).toHaveLength(3)
    expect(written).not.toHaveBeenCalled()
    written.mockRestore()
    expect(await statusOf(await app.owner.token())).toBe(200)
  })
})
