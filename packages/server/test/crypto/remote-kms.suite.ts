/** Tests that every KMS on the network must pass when the network, the KMS or the operator's settings fail. */
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { KmsUnavailable } from '../../src/base/api-error.ts'
import { maxAttempts } from '../../src/crypto/kms/requests.ts'
import type { Kms } from '../../src/crypto/kms/kms.ts'
import type { FailureMode, FakeServer } from '../../testkit/fake-server.ts'

export interface RemoteKms {
  /** The KMS with `patienceMs`. */
  readonly kms: Kms
  /** Opens the KMS for callers who wait 200 ms. */
  readonly hasty: Kms
  readonly fakeServer: FakeServer
  /** Secrets that must never be shown. */
  readonly secrets: readonly string[]
}

/** How long callers wait in tests of something other than a timeout. */
export const patienceMs = 600_000

const context = 'rollkey data key prj_1 00ff'
/** Answers of a KMS that gets too many requests or has an internal problem. */
const passing: FailureMode[] = [
  { status: 429 },
  { status: 500 },
  { status: 503, body: 'upstream' },
  'resets',
  'works and breaks off',
]

export function remoteKmsSuite(name: string, open: () => Promise<RemoteKms>): void {
  // The pauses before retries are random parts of a maximum.
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
  afterEach(() => void vi.restoreAllMocks())

  /** Opens the KMS and calls it once, so that it has found its credentials. */
  async function opened() {
    const found = await open()
    onTestFinished(() => found.fakeServer.stop())
    const key = randomBytes(32)
    const wrapped = await found.kms.wrap(key, context)
    found.fakeServer.requests.length = 0
    const expectWorks = async (): Promise<void> => {
      expect((await found.kms.unwrap(wrapped, context)).equals(key)).toBe(true)
    }
    const refusals = async (kms: Kms): Promise<KmsUnavailable[]> => {
      const both = await Promise.allSettled([kms.wrap(key, context), kms.unwrap(wrapped, context)])
      return both.map((each) => (each as PromiseRejectedResult).reason as KmsUnavailable)
    }
    const secrets = [...found.secrets, key.toString('base64'), key.toString('hex')]
    return { ...found, secrets, expectWorks, refusals }
  }

  async function expectAway(
    found: Awaited<ReturnType<typeof opened>>,
    sentence: string,
    kms = found.kms,
  ): Promise<void> {
    for (const error of await found.refusals(kms)) {
      expect(error).toBeInstanceOf(KmsUnavailable)
      expect(error.message).toContain(`The KMS ${found.kms.name} ${sentence}`)
      expect(error.message).toMatch(/ \([\w.: -]+\): .+\.$/)
      for (const secret of found.secrets) expect(`${error.message} ${error.code}`).not.toContain(secret)
    }
  }

  describe(`${name}: trouble that passes`, () => {
    test.each(passing)('%j is not noticed', async (failureMode) => {
      const { fakeServer, expectWorks } = await opened()
      fakeServer.nextFailureModes.push(failureMode)
      await expectWorks()
      expect(fakeServer.requests).toHaveLength(2)
    })

    test.each<FailureMode>(['hangs', 'drips'])(
      'that it %s is waited for no longer than a caller can wait',
      async (failureMode) => {
        const found = await opened()
        found.fakeServer.failureMode = failureMode
        await expectAway(found, 'cannot be reached', found.hasty)
        found.fakeServer.failureMode = 'works'
        await found.expectWorks()
      },
    )
  })

  describe(`${name}: trouble that stays`, () => {
    test.each<[string, FailureMode]>([
      ['is busy or has trouble (status 429)', { status: 429 }],
      ['is busy or has trouble (status 503)', { status: 503 }],
      ['cannot be reached', 'resets'],
    ])('%s (%j): is retried, reported in a message, and works again afterwards', async (sentence, failureMode) => {
      const found = await opened()
      found.fakeServer.failureMode = failureMode
      await expectAway(found, sentence)
      expect(found.fakeServer.requests).toHaveLength(2 * maxAttempts)
      found.fakeServer.failureMode = 'works'
      await found.expectWorks()
    })

    test('that nothing listens is reported in a message, and the KMS works again afterwards', async () => {
      const found = await opened()
      await found.fakeServer.stop()
      await expectAway(found, 'cannot be reached (ECONNREFUSED)')
      await found.fakeServer.start()
      await found.expectWorks()
    })

    test.each<FailureMode>([
      { status: 200, body: '' },
      { status: 200, body: '<html>Sign in</html>' },
      { status: 200, body: 'null' },
      { status: 200, body: '[]' },
      { status: 200, body: {} },
      { status: 404, body: '<html>' },
    ])('an answer that is not of a KMS (%j) is not taken for a damaged key', async (failureMode) => {
      const found = await opened()
      found.fakeServer.failureMode = failureMode
      await expectAway(found, '')
    })

    test('a redirect is not followed, since the request carries credentials', async () => {
      const found = await opened()
      found.fakeServer.failureMode = { status: 307, headers: { location: `${found.fakeServer.url}/elsewhere` } }
      await expectAway(found, '')
      expect(found.fakeServer.requests.filter((each) => each.path === '/elsewhere')).toEqual([])
    })
  })
}
