/** Tests of callers of a KMS that does not answer. */
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { KmsUnavailable } from '../../src/base/api-error.ts'
import { withBreaker } from '../../src/crypto/kms/guarded.ts'
import { CannotUnwrap, type Kms } from '../../src/crypto/kms/kms.ts'
import { TestClock } from '../../testkit/clock.ts'
import { EndlessAnswer, SlowPeer } from '../../testkit/slow-peer.ts'
import { stopMachineClock } from '../../testkit/stopped-clock.ts'
import { VaultKms } from '../../src/crypto/kms/vault.ts'

let clock: TestClock
let calls: number
let answer: () => Promise<Buffer>
let kms: Kms
let pass: (ms: number) => void

beforeEach(() => {
  pass = stopMachineClock()
  clock = new TestClock()
  clock.freezeAt(0)
  calls = 0
  const call = (): Promise<Buffer> => {
    calls++
    return answer()
  }
  kms = withBreaker({ name: 'far', wrap: call, unwrap: call }, clock, 20)
})

const away = async (): Promise<Buffer> => {
  pass(40)
  throw new KmsUnavailable('The KMS far cannot be reached (TimeoutError): look.', 'TimeoutError')
}

function outcomes(count: number): Promise<string[]> {
  const unwrap = (): Promise<string> => kms.unwrap(Buffer.alloc(1), 'c').then(String, (error: Error) => error.message)
  return Promise.all(Array.from({ length: count }, unwrap))
}

test('after one call waited in vain, the next ones are refused at once, and one at a time tries again', async () => {
  answer = away
  await outcomes(1)
  const refused = new Set(await outcomes(1_000))
  expect([...refused]).toEqual([expect.stringMatching(/^The KMS far cannot be reached \(no answer a moment ago\)/)])
  expect(calls).toBe(1)
  clock.advance(2_000)
  await outcomes(1_000)
  expect(calls).toBe(2)
  answer = async () => Buffer.from('key')
  clock.advance(2_000)
  expect(await outcomes(1)).toEqual(['key'])
  expect(new Set(await outcomes(10))).toEqual(new Set(['key']))
})

test('an error about a wrapped key counts as an answer, however long it took', async () => {
  answer = async () => {
    pass(40)
    throw new CannotUnwrap('damaged')
  }
  await outcomes(1)
  answer = async () => Buffer.from('key')
  expect(await outcomes(1)).toEqual(['key'])
})

test('an endless answer is read only up to the maximum length', async () => {
  const peer = await SlowPeer.start(new EndlessAnswer(64 * 1024 * 1024).send)
  onTestFinished(() => peer.close())
  const vault = new VaultKms({ url: `${peer.url}/transit/key`, token: 'token', timeoutMs: 600_000 })
  await expect(vault.wrap(Buffer.alloc(32), 'context')).rejects.toThrow('cannot be reached (BodyTooLong)')
})
