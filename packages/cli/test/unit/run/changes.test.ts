import { createClient, RollkeyError, type Client } from '@rollkey/sdk'
import { createTestService, type TestService } from '@rollkey/sdk/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Changes } from '../../../src/run/changes.ts'
import type { Variables } from '../../../src/formats/refuse.ts'
import { environmentOf } from '../../../src/run/environment.ts'

let changes: Changes<NodeJS.ProcessEnv> | undefined
afterEach(() => {
  changes?.close()
  vi.useRealTimers()
})

/** Creates changes of a stage with A=1, and a clock that the test moves. */
async function watched(
  beforeWatch: (service: TestService) => void = () => {},
  clientOf = (service: TestService): Client => service.client,
) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const service = createTestService({ variables: { A: '1' } })
  const warnings: string[] = []
  const client = clientOf(service)
  const pulled = await client.pull()
  beforeWatch(service)
  changes = new Changes({
    client,
    values: client,
    pulled,
    apply: (variables: Variables) =>
      environmentOf({}, variables, { allowsReserved: false, isStrict: true }).environment,
    warn: (text) => warnings.push(text),
  })
  let next: NodeJS.ProcessEnv | undefined
  const ask = (): void =>
    void changes?.next().then(
      (environment) => (next = environment),
      () => {}, // closed
    )
  ask()
  const pass = async (ms: number): Promise<void> => void (await vi.advanceTimersByTimeAsync(ms))
  return { service, warnings, ask, pass, next: () => next }
}

describe('changes of the variables', () => {
  test('are detected, reported and counted', async () => {
    const { service, warnings, pass, next } = await watched()
    await pass(3_000)
    service.set('A', '2')
    service.set('B', '3')
    await pass(3_000)
    expect(next()).toEqual({ A: '2', B: '3' })
    expect(warnings).toEqual(['Restarting: 2 variables changed'])
  })

  test('are detected at once', async () => {
    const { service, pass, next } = await watched()
    await pass(0)
    service.set('A', '2')
    await pass(0)
    expect(next()).toEqual({ A: '2' })
  })

  test('are detected within 5 seconds by a service without streams', async () => {
    const { service, pass, next } = await watched(undefined, ({ options }) =>
      createClient({
        ...options,
        fetch: async (url, init) =>
          url.includes('/v1/events') ? new Response(null, { status: 404 }) : options.fetch!(url, init),
      }),
    )
    await pass(0)
    service.set('A', '2')
    await pass(4_000)
    expect(next()).toBeUndefined()
    await pass(1_000)
    expect(next()).toEqual({ A: '2' })
  })

  test('between the pull and the first request are not missed', async () => {
    const { warnings, pass, next } = await watched((service) => service.set('A', '2'))
    await pass(3_000)
    expect(next()).toEqual({ A: '2' })
    expect(warnings).toEqual(['Restarting: 1 variable changed'])
  })

  test('are none while every value is the same', async () => {
    const { service, warnings, ask, pass, next } = await watched()
    await pass(3_000)
    service.set('A', '1')
    await pass(3_000)
    expect(next()).toBeUndefined()
    service.set('A', '2')
    await pass(3_000)
    expect(next()).toEqual({ A: '2' })
    ask()
    await pass(60_000)
    expect(next()).toEqual({ A: '2' })
    expect(warnings).toHaveLength(1)
  })

  test('that cannot be pulled are pulled later, and reported once', async () => {
    const { service, warnings, pass, next } = await watched()
    await pass(3_000)
    const gone = new RollkeyError('UNREACHABLE', 'The service does not answer.')
    vi.spyOn(service.client, 'pull').mockRejectedValueOnce(gone).mockRejectedValueOnce(gone)
    service.set('A', '2')
    await pass(9_000)
    expect(next()).toBeUndefined()
    expect(warnings).toEqual([expect.stringMatching(/^UNREACHABLE: .*; the command keeps its current values$/)])
    await pass(5_000)
    expect(next()).toEqual({ A: '2' })
    expect(warnings.slice(1)).toEqual(['Restarting: 1 variable changed'])
  })

  test('during a pull are not missed', async () => {
    const { service, ask, pass, next } = await watched()
    await pass(3_000)
    const { client } = service
    const pull = client.pull.bind(client)
    vi.spyOn(client, 'pull').mockImplementationOnce(async () => {
      const pulled = await pull()
      service.set('A', '3')
      await new Promise((resolve) => setTimeout(resolve, 5_000))
      return pulled
    })
    service.set('A', '2')
    await pass(8_000)
    expect(next()).toEqual({ A: '2' })
    ask()
    await pass(3_000)
    expect(next()).toEqual({ A: '3' })
  })

  test('that no environment can hold leave the command running', async () => {
    const { service, warnings, pass, next } = await watched()
    await pass(3_000)
    service.set('PATH', '/evil')
    await pass(3_000)
    expect(next()).toBeUndefined()
    expect(warnings).toEqual([
      expect.stringMatching(/^RESERVED_NAME: .*: PATH; .*; the command keeps its current values$/),
    ])
    service.delete('PATH')
    await pass(3_000)
    expect(next()).toBeUndefined()
    service.set('A', '2')
    await pass(3_000)
    expect(next()).toEqual({ A: '2' })
  })
})
