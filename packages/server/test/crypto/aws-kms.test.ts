import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { AwsKms } from '../../src/crypto/kms/aws.ts'
import type { Kms } from '../../src/crypto/kms/kms.ts'
import { accessKeyId, FakeAwsKms, secretAccessKey } from '../../testkit/kms/aws.ts'
import { kmsSuite } from './kms.suite.ts'
import { patienceMs, remoteKmsSuite } from './remote-kms.suite.ts'

const shared = new FakeAwsKms()

beforeAll(async () => {
  await shared.start()
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey)
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await shared.stop()
})

/** Configures the SDK for an endpoint of a private network, as an operator would. */
function kmsAt({ url }: FakeAwsKms, keyArn: string, timeoutMs?: number): Kms {
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', url)
  return new AwsKms(keyArn, timeoutMs)
}

const masters: Record<string, string> = {}

kmsSuite('AWS KMS', async (master) => kmsAt(shared, (masters[master] ??= shared.newKey())))

remoteKmsSuite('AWS KMS', async () => {
  const fakeServer = new FakeAwsKms()
  await fakeServer.start()
  const arn = fakeServer.newKey()
  const [kms, hasty] = [kmsAt(fakeServer, arn, patienceMs), kmsAt(fakeServer, arn, 200)]
  return { kms, hasty, fakeServer, secrets: [secretAccessKey] }
})

async function refusal(kms: Kms): Promise<string> {
  return String(await kms.wrap(randomBytes(32), 'context').catch((error: unknown) => error))
}

test.each([
  ['Disabled', 'cannot use this key (DisabledException)'],
  ['PendingDeletion', 'cannot use this key (KMSInvalidStateException)'],
  ['Denied', 'refuses this service (AccessDeniedException)'],
] as const)('a key that is %s does not count as damaged', async (state, sentence) => {
  const arn = shared.newKey()
  const kms = kmsAt(shared, arn)
  const wrapped = await kms.wrap(randomBytes(32), 'context')
  Object.assign(shared.keys.get(arn.split('/')[1] ?? '') ?? {}, { state })
  expect(await refusal(kms)).toContain(sentence)
  await expect(kms.unwrap(wrapped, 'context')).rejects.toThrow(sentence)
})

test('a key that does not exist', async () => {
  const kms = kmsAt(shared, `${shared.newKey()}0`)
  expect(await refusal(kms)).toContain('cannot use this key (NotFoundException): check that it exists')
})

test.each([
  ['AWS_ACCESS_KEY_ID', 'AKIAUNKNOWN', 'UnrecognizedClientException'],
  ['AWS_SECRET_ACCESS_KEY', 'another-secret', 'InvalidSignatureException'],
])('wrong credentials (%s) are said without them', async (name, value, code) => {
  const right = process.env[name]
  vi.stubEnv(name, value)
  const message = await refusal(kmsAt(shared, shared.newKey()))
  vi.stubEnv(name, right)
  expect(message).toContain(`cannot be used without valid credentials (${code}): set them as docs/keys.md says.`)
  expect(message).not.toContain(value)
})

test('credentials that are found later do', async () => {
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined)
  const kms = kmsAt(shared, shared.newKey())
  expect(await refusal(kms)).toContain('without valid credentials (CredentialsProviderError)')
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId)
  await expect(kms.wrap(randomBytes(32), 'context')).resolves.toBeDefined()
})

test('an answer of another key is rejected', async () => {
  const [arn, other] = [shared.newKey(), shared.newKey()]
  shared.nextFailureModes.push({ status: 200, body: { KeyId: other, CiphertextBlob: 'AAAA' } })
  expect(await refusal(kmsAt(shared, arn))).toContain('returned an unexpected response (another key)')
})
