/** Races 64 clients that present each token at the same time, to one node or to several. Exactly one must win. */
import { expect, test } from 'vitest'
import { codes, times } from '../testkit/at-once.ts'
import { newUser, type Answer, type TestClient } from '../testkit/client.ts'
import { isLong } from '../testkit/long.ts'

const clients = 64
const tokens = isLong ? 1_000 : 3

/** Repeats the request if the store is busy, as clients do. */
async function patient(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await call()
    if (answer.status !== 503) return answer
  }
}

/** Expects one winner whose tokens work, so that no loser ended its session. */
async function expectOnePair(client: TestClient, answers: readonly Answer[], refusal: string): Promise<void> {
  expect(codes(answers)).toEqual({ ok: 1, [refusal]: clients - 1 })
  const pair = answers.find(({ status }) => status === 200)?.body
  await client.must('session', {}, { token: pair.accessToken })
  await client.must('tokenRefresh', { refreshToken: pair.refreshToken })
  await client.must('session', {}, { token: pair.accessToken })
}

export function racesSuite(service: () => TestClient): void {
  test(`${clients} refreshes with one token give one working pair and end no session: ${tokens} tokens`, async () => {
    const client = service()
    for (let token = 0; token < tokens; token++) {
      const { refreshToken } = await client.login(newUser())
      const answers = await times(clients, () => patient(() => client.refresh(refreshToken)))
      await expectOnePair(client, answers, 'INVALID_REFRESH_TOKEN')
    }
  })

  test(`${clients} polls after the approval give one working pair: ${tokens} codes`, async () => {
    const client = service()
    for (let code = 0; code < tokens; code++) {
      const { deviceCode } = await client.approved(newUser())
      const answers = await times(clients, () => patient(() => client.call('devicePoll', { deviceCode })))
      await expectOnePair(client, answers, 'DEVICE_CODE_NOT_FOUND')
    }
  })
}
