import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { crc32c } from '../../src/crypto/kms/crc32c.ts'
import { GcpKms } from '../../src/crypto/kms/gcp.ts'
import type { Kms } from '../../src/crypto/kms/kms.ts'
import { useFolder } from '../../testkit/folder.ts'
import { FakeGcpKms, subjectToken } from '../../testkit/kms/gcp.ts'
import type { FailureMode } from '../../testkit/fake-server.ts'
import { kmsSuite } from './kms.suite.ts'
import { patienceMs, remoteKmsSuite } from './remote-kms.suite.ts'

const folder = useFolder()
const shared = new FakeGcpKms()

beforeAll(() => shared.start())

afterAll(async () => {
  vi.unstubAllEnvs()
  await shared.stop()
})

/** Uses the credentials of a workload, whose token is in a file. */
function kmsAt(fakeServer: FakeGcpKms, key: string, timeoutMs?: number, token = subjectToken): Kms {
  const [tokenFile, credentialsFile] = ['token', 'credentials.json'].map((name) =>
    path.join(folder, `${new URL(fakeServer.url).port}-${token}-${name}`),
  ) as [string, string]
  writeFileSync(tokenFile, token)
  writeFileSync(credentialsFile, JSON.stringify(fakeServer.credentials(tokenFile)))
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', credentialsFile)
  return new GcpKms({ key, baseUrl: fakeServer.url, ...(timeoutMs !== undefined && { timeoutMs }) })
}

const masters: Record<string, string> = {}

kmsSuite('Google Cloud KMS', async (master) => kmsAt(shared, (masters[master] ??= shared.newKey())))

remoteKmsSuite('Google Cloud KMS', async () => {
  const fakeServer = new FakeGcpKms()
  await fakeServer.start()
  const key = fakeServer.newKey()
  return {
    kms: kmsAt(fakeServer, key, patienceMs),
    hasty: kmsAt(fakeServer, key, 200),
    fakeServer,
    secrets: [subjectToken, 'ya29.'],
  }
})

async function refusal(kms: Kms): Promise<string> {
  return String(await kms.wrap(randomBytes(32), 'context').catch((error: unknown) => error))
}

test.each([
  ['DISABLED', 'cannot use this key (FAILED_PRECONDITION)'],
  ['DENIED', 'refuses this service (PERMISSION_DENIED)'],
] as const)('a key that is %s does not count as damaged', async (state, sentence) => {
  const name = shared.newKey()
  const kms = kmsAt(shared, name)
  const wrapped = await kms.wrap(randomBytes(32), 'context')
  Object.assign(shared.keys.get(name) ?? {}, { state })
  expect(await refusal(kms)).toContain(sentence)
  await expect(kms.unwrap(wrapped, 'context')).rejects.toThrow(sentence)
})

test('a key that does not exist', async () => {
  expect(await refusal(kmsAt(shared, `${shared.newKey()}-0`))).toContain('cannot use this key (NOT_FOUND)')
})

test('refused credentials are reported without quoting them', async () => {
  const message = await refusal(kmsAt(shared, shared.newKey(), undefined, 'another-token'))
  expect(message).toContain('cannot be used without valid credentials')
  expect(message).not.toContain('another-token')
})

test.each<FailureMode>([{ status: 503 }, 'hangs'])(
  'credentials that are unavailable at first (%j) work later',
  async (failureMode) => {
    const fakeServer = new FakeGcpKms()
    await fakeServer.start()
    onTestFinished(() => fakeServer.stop())
    const kms = kmsAt(fakeServer, fakeServer.newKey(), 1_000)
    fakeServer.failureMode = failureMode
    expect(await refusal(kms)).toMatch(/cannot be reached|without valid credentials/)
    fakeServer.failureMode = 'works'
    await expect.poll(() => refusal(kms)).not.toContain('Error')
  },
)

test('CRC-32C matches the test vectors of RFC 3720', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283)
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa)
  expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43)
})

test.each<[string, object]>([
  ['a ciphertext that was damaged', { ciphertext: 'AAAA' }],
  ['a checksum that was damaged', { ciphertextCrc32c: '1' }],
  ['a plaintext that did not arrive as it was sent', { verifiedPlaintextCrc32c: false }],
  ['a context that did not arrive as it was sent', { verifiedAdditionalAuthenticatedDataCrc32c: false }],
  ['another key', { name: 'projects/p/locations/l/keyRings/r/cryptoKeys/other/cryptoKeyVersions/1' }],
])('an answer with %s is not believed', async (_, damage) => {
  const kms = kmsAt(shared, shared.newKey())
  shared.tamper = (answer) => ({ ...answer, ...damage })
  expect(await refusal(kms)).toContain('returned an unexpected response')
  shared.tamper = (answer) => answer
})

test.each<[string, object]>([
  ['a key that was damaged', { plaintext: randomBytes(32).toString('base64') }],
  ['a checksum that was damaged', { plaintextCrc32c: '1' }],
  ['no key', { plaintext: undefined }],
])('an answer with %s is not unwrapped', async (_, damage) => {
  const kms = kmsAt(shared, shared.newKey())
  const wrapped = await kms.wrap(randomBytes(32), 'context')
  shared.tamper = (answer) => ({ ...answer, ...damage })
  await expect(kms.unwrap(wrapped, 'context')).rejects.toThrow('returned an unexpected response')
  shared.tamper = (answer) => answer
})

test('a request that is damaged in transit is not reported as a damaged key', async () => {
  const kms = kmsAt(shared, shared.newKey())
  const wrapped = await kms.wrap(randomBytes(32), 'context')
  const message = 'The ciphertext checksum did not match.'
  shared.nextFailureModes.push({ status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT', message } } })
  await expect(kms.unwrap(wrapped, 'context')).rejects.toThrow('cannot use this key (INVALID_ARGUMENT)')
})
