/** Tests the keys of issuers: rotation, an issuer that hangs or is away, and what that does to others. */
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { TestIssuer } from '../../testkit/issuer.ts'
import { stopTimeLimits } from '../../testkit/stopped-clock.ts'
import { requiredClaims, TrustScene, audience } from './scene.ts'

async function opened(): Promise<{ scene: TrustScene; other: TestIssuer; readonly close: () => Promise<void> }> {
  const scene = new TrustScene()
  const other = new TestIssuer(scene.testEnv.clock)
  await other.start()
  await scene.issuer.start()
  await scene.start({ TRUSTED_ISSUERS: `${scene.issuer.url}, ${other.url}` }, true)
  return { scene, other, close: async () => Promise.all([scene.close(), other.close()]).then(() => undefined) }
}

test('keys are fetched once, again when the issuer has a new one, and stand for a day while it is away', async () => {
  const { scene, close } = await opened()
  const { issuer, testEnv } = scene
  const { id } = await scene.trust()
  const statusOf = async () => (await scene.exchange(await scene.token(), id)).status
  try {
    expect([await statusOf(), await statusOf()]).toEqual([200, 200])
    expect(issuer.keyFetches).toBe(1)
    testEnv.clock.advance(31_000)
    await issuer.rotate()
    expect(await statusOf()).toBe(200)
    expect(issuer.keyFetches).toBe(2)
    issuer.trouble = (response) => response.writeHead(503).end()
    testEnv.clock.advance(23 * 60 * 60_000)
    expect(await statusOf()).toBe(200)
    testEnv.clock.advance(2 * 60 * 60_000)
    const { status, body } = await scene.exchange(await scene.token(), id)
    expect({ status, error: body.error }).toEqual({ status: 503, error: 'temporarily_unavailable' })
    const later = { ...scene.owner, token: await testEnv.provider.tokenOf(scene.owner.user) }
    const { body: tested } = await scene.call('trustTest', { id, token: await scene.token() }, later)
    expect(tested).toMatchObject({
      accepted: false,
      signature: 'unavailable',
      claims: [{ matches: true }, { matches: true }],
    })
  } finally {
    await close()
  }
})

test('an issuer that hangs delays no other, and not its own tokens while its last keys stand', async () => {
  const { scene, other, close } = await opened()
  try {
    const { id } = await scene.trust()
    const rules = { issuer: other.url, audience, claims: requiredClaims, role: 'reader' }
    const { id: hanging } = await scene.must('trustCreate', { name: 'hanging', ...rules })
    const tokenOf = () => other.sign(other.claims({ repository_id: '424242', ref: 'refs/heads/main' }, audience))
    // Nothing ends a wait for the other issuer, so whatever is answered does not wait for it.
    const resume = stopTimeLimits()
    scene.testEnv.clock.freezeAt(scene.testEnv.clock.now())
    const isAsked = Promise.withResolvers<void>()
    other.trouble = () => isAsked.resolve()
    const waiting = Promise.all(Array.from({ length: 20 }, async () => scene.exchange(await tokenOf(), hanging)))
    await isAsked.promise
    for (let i = 0; i < 20; i++) expect(await scene.exchange(await scene.token(), id)).toMatchObject({ status: 200 })
    resume()
    for (const { status, body } of await waiting)
      expect({ status, error: body.error }).toEqual({ status: 503, error: 'temporarily_unavailable' })
    other.trouble = undefined
    scene.testEnv.clock.advance(31_000)
    expect(await scene.exchange(await tokenOf(), hanging)).toMatchObject({ status: 200 })
    other.trouble = () => undefined
    scene.testEnv.clock.advance(11 * 60_000)
    stopTimeLimits()
    expect(await scene.exchange(await tokenOf(), hanging)).toMatchObject({ status: 200 })
  } finally {
    await close()
  }
})

test('a key of an issuer that is too weak refuses its tokens, and no request fails', async () => {
  const { scene, close } = await opened()
  try {
    const { url, key } = scene.issuer
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 })
    const weak = { ...publicKey.export({ format: 'jwk' }), kid: key.kid, alg: key.alg }
    const published = JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks`, keys: [weak] })
    scene.issuer.trouble = (response) => response.end(published)
    const { id } = await scene.trust()
    const { status, body } = await scene.exchange(await scene.token(), id)
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_grant' })
  } finally {
    await close()
  }
})
