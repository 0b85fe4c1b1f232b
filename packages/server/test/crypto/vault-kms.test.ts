import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { CannotUnwrap, type Kms } from '../../src/crypto/kms/kms.ts'
import { VaultKms } from '../../src/crypto/kms/vault.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { podRole, podToken, FakeVault } from '../../testkit/kms/vault.ts'
import { kmsSuite } from './kms.suite.ts'
import { patienceMs, remoteKmsSuite } from './remote-kms.suite.ts'

const shared = new FakeVault()
let token: string

beforeAll(async () => {
  await shared.start()
  token = shared.newToken()
})

afterAll(() => shared.stop())

const masters: Record<string, string> = {}

kmsSuite('Vault', async (master) => new VaultKms({ url: (masters[master] ??= shared.newKey()), token }))

remoteKmsSuite('Vault', async () => {
  const fakeServer = new FakeVault()
  await fakeServer.start()
  const own = fakeServer.newToken()
  const parts = { url: fakeServer.newKey(), token: own }
  const kms = new VaultKms({ ...parts, timeoutMs: patienceMs })
  await kms.wrap(randomBytes(32), 'the token is renewed beside this')
  await vi.waitUntil(() => fakeServer.renewals > 0, { timeout: patienceMs })
  return { kms, hasty: new VaultKms({ ...parts, timeoutMs: 200 }), fakeServer, secrets: [own] }
})

async function refusal(kms: Kms): Promise<string> {
  return String(await kms.wrap(randomBytes(32), 'context').catch((error: unknown) => error))
}

test('the name has nothing but the address of the key', () => {
  const url = 'https://vault.example:8200/team/transit/rollkey'
  expect(new VaultKms({ url: `${url}?role=rollkey`, token: undefined }).name).toBe(`vault:${url}`)
})

describe('a key at Vault', () => {
  test('may be rotated there: what the older version wrapped unwraps', async () => {
    const url = shared.newKey()
    const kms = new VaultKms({ url, token })
    const key = randomBytes(32)
    const wrapped = [await kms.wrap(key, 'context')]
    shared.keys.get(url.split('/').at(-1) ?? '')?.push(randomBytes(32))
    wrapped.push(await kms.wrap(key, 'context'))
    expect(wrapped.map((each) => Buffer.from(each).toString().slice(0, 9))).toEqual(['vault:v1:', 'vault:v2:'])
    for (const each of wrapped) expect((await kms.unwrap(each, 'context')).equals(key)).toBe(true)
  })

  test('whose older version the policy forbids is not a damaged one', async () => {
    const kms = new VaultKms({ url: shared.newKey(), token })
    const wrapped = await kms.wrap(randomBytes(32), 'context')
    shared.minDecryptionVersion = 2
    await expect(kms.unwrap(wrapped, 'context')).rejects.toThrow('cannot use this key (status 400)')
    shared.minDecryptionVersion = 1
  })

  test('that is gone is not a damaged one', async () => {
    const url = shared.newKey()
    const kms = new VaultKms({ url, token })
    const wrapped = await kms.wrap(randomBytes(32), 'context')
    shared.keys.delete(url.split('/').at(-1) ?? '')
    await expect(kms.unwrap(wrapped, 'context')).rejects.toThrow(
      'cannot use this key (status 400): check that it exists',
    )
  })

  test('is damaged also where an old Vault says so as its own failure', async () => {
    const kms = new VaultKms({ url: shared.newKey(), token })
    const wrapped = await kms.wrap(randomBytes(32), 'context')
    const old = { status: 500, body: { errors: ['1 error occurred:\n\t* cipher: message authentication failed\n\n'] } }
    shared.nextFailureModes.push(old, old, old)
    await expect(kms.unwrap(wrapped, 'context')).rejects.toBeInstanceOf(CannotUnwrap)
  })

  test('cannot be used while Vault is sealed', async () => {
    const kms = new VaultKms({ url: shared.newKey(), token })
    shared.isSealed = true
    expect(await refusal(kms)).toContain('is busy or has trouble (status 503): try again later.')
    shared.isSealed = false
    await expect(kms.wrap(randomBytes(32), 'context')).resolves.toBeDefined()
  })
})

describe('the token of a setting', () => {
  test('that is wrong or lacks permission is refused without being quoted', async () => {
    const other = shared.newToken()
    shared.tokens.set(other, 'other policy')
    for (const refused of ['hvs.unknown', other]) {
      const message = await refusal(new VaultKms({ url: shared.newKey(), token: refused }))
      expect(message).toContain('refuses this service (status 403): allow it to encrypt and decrypt with this key')
      expect(message).not.toContain(refused)
    }
  })

  test('is renewed again and again', async () => {
    const fakeServer = new FakeVault()
    await fakeServer.start()
    onTestFinished(() => fakeServer.stop())
    fakeServer.leaseSeconds = 0.05
    await new VaultKms({ url: fakeServer.newKey(), token: fakeServer.newToken() }).wrap(randomBytes(32), 'context')
    await expect.poll(() => fakeServer.renewals).toBeGreaterThan(2)
    fakeServer.leaseSeconds = 0
  })
})

describe('the Kubernetes login', () => {
  function inPod(own: string, role = podRole): Kms {
    const serviceAccountFile = path.join(temporaryFolder(), 'token')
    writeFileSync(serviceAccountFile, `${own}\n`)
    return new VaultKms({ url: `${shared.newKey()}?role=${role}`, token: undefined, serviceAccountFile })
  }

  test('is done once, and again when its token has expired', async () => {
    const kms = inPod(podToken)
    const key = randomBytes(32)
    const logins = () => shared.requests.filter(({ path: at }) => at.endsWith('/login')).length
    const before = logins()
    const wrapped = await kms.wrap(key, 'context')
    expect((await kms.unwrap(wrapped, 'context')).equals(key)).toBe(true)
    expect(logins() - before).toBe(1)
    shared.tokens.clear()
    shared.tokens.set(token, 'allowed')
    expect((await kms.unwrap(wrapped, 'context')).equals(key)).toBe(true)
    expect(logins() - before).toBe(2)
  })

  test.each([
    ['another token', 'another-role'],
    [podToken, 'another-role'],
    ['another token', podRole],
  ])('that is refused is said in a sentence (%s, %s)', async (own, role) => {
    const message = await refusal(inPod(own, role))
    expect(message).toContain('cannot be used without valid credentials (login: status 403)')
    expect(message).not.toContain(own)
  })

  test('outside a pod is reported in a message for the operator', async () => {
    const kms = new VaultKms({
      url: `${shared.newKey()}?role=x`,
      token: undefined,
      serviceAccountFile: '/nowhere/token',
    })
    expect(await refusal(kms)).toContain('without valid credentials (no Kubernetes service account: ENOENT)')
  })
})
