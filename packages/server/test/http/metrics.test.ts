/** Access to the metrics, their port, and how often they are collected. */
import { Registry } from 'prom-client'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { memoizeFor } from '../../src/concurrency/memoize-for.ts'
import { freePort } from '../../testkit/free-port.ts'
import { startTestEnv } from '../../testkit/test-env.ts'

describe('the metrics', () => {
  test('are collected at most once per second', async () => {
    const testEnv = await startTestEnv()
    testEnv.clock.freezeAt(testEnv.clock.now())
    const collect = vi.spyOn(Registry.prototype, 'metrics')
    onTestFinished(() => collect.mockRestore())
    const read = async (): Promise<string> => (await testEnv.client.get('/metrics')).text
    const texts = await Promise.all(Array.from({ length: 50 }, read))
    await testEnv.client.call('session', {})
    expect(new Set([...texts, await read()]).size).toBe(1)
    expect(collect).toHaveBeenCalledOnce()
    testEnv.clock.advance(1_000)
    expect(await read()).toContain('rollkey_requests_total{endpoint="session",status="401"} 1')
    expect(collect).toHaveBeenCalledTimes(2)
  })

  test('have help, and the ending of a counter only if they are one', async () => {
    const testEnv = await startTestEnv()
    const { text } = await testEnv.client.get('/metrics')
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]))
    const described = [...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name)
    expect(types.size).toBeGreaterThan(20)
    expect(new Set(described)).toEqual(new Set(types.keys()))
    for (const [name = '', type] of types) expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')])
  })

  test('require the token if one is set', async () => {
    const token = 'a token of the monitoring'
    const testEnv = await startTestEnv({ METRICS_TOKEN: token })
    const ask = (authorization?: string) =>
      fetch(`${testEnv.app.url}/metrics`, { headers: { ...(authorization !== undefined && { authorization }) } })
    for (const wrong of [undefined, '', 'Bearer', `Bearer ${token} `.slice(0, -2), `bearer ${token}`, token]) {
      const answer = await ask(wrong)
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(await answer.json()).toMatchObject({ error: { code: 'UNAUTHORIZED' } })
    }
    const answer = await ask(`Bearer ${token}`)
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('rollkey_requests_total')])
    expect((await testEnv.client.get('/livez')).status).toBe(200)
  })

  test('are served only on the metrics port if one is set, and that port serves nothing else', async () => {
    const port = await freePort()
    const testEnv = await startTestEnv({ METRICS_PORT: String(port) })
    const ask = (path: string, accept = '*/*') => fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept } })
    const answer = await ask('/metrics')
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('rollkey_requests_total')])
    for (const path of ['/', '/livez', '/v1/whoami', '/openapi.json', '/identity/jwks']) {
      expect((await ask(path, 'text/html')).status).toBe(404)
    }
    for (const accept of ['*/*', 'text/html']) {
      const main = await fetch(`${testEnv.app.url}/metrics`, { headers: { accept } })
      expect([main.status, await main.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
    }
  })
})

describe('a shared result', () => {
  test('is not kept if the work failed, nor longer after the clock was set back', async () => {
    let now = 10_000
    let calls = 0
    const ask = memoizeFor(
      1_000,
      () => now,
      async () => {
        if (++calls === 1) throw new Error('down')
        return calls
      },
    )
    await expect(ask()).rejects.toThrow('down')
    expect([await ask(), await ask()]).toEqual([2, 2])
    now = 9_000
    expect(await ask()).toBe(3)
  })
})
