/** Tests the programs of examples/in-process in each language whose runtime this machine has. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { roll } from '../../testkit/entries.ts'
import { examplePrograms } from '../../testkit/example-programs.ts'
import { isLong } from '../../testkit/long.ts'
import { Random } from '../../testkit/random.ts'
import { newOwner, newServiceToken, useTestEnv, write } from '../../testkit/test-env.ts'
import { knownCases, randomCase, type ExpectedCase } from './cases.ts'

const testEnv = useTestEnv()
const linesOf = (output: string): string[] => output.split('\n').slice(0, -1)

interface Passed {
  readonly path: string
  readonly key: string | undefined
  readonly status: number
}

const passed: Passed[] = []
/** Passes requests to the service. The answer to the first report is lost: its client gets a 503, although the report was counted. */
const proxy = createServer((incoming, response) => void pass(incoming, response))

async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '', headers } = incoming
  const names = ['authorization', 'content-type', 'if-none-match', 'x-service-request-key']
  const answer = await fetch(`${testEnv.app.url}${url}`, {
    method: 'POST',
    headers: names.flatMap((name): [string, string][] => (headers[name] ? [[name, String(headers[name])]] : [])),
    body: await text(incoming),
  })
  const key = headers['x-service-request-key']?.toString()
  const isLost = url === '/v1/env/report' && !passed.some((each) => each.path === url)
  passed.push({ path: url, key, status: answer.status })
  const etag = answer.headers.get('etag')
  response.writeHead(isLost ? 503 : answer.status, etag === null ? {} : { etag })
  response.end(await answer.text())
}

beforeAll(async () => {
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
})

afterAll(() => {
  proxy.close()
  proxy.closeAllConnections()
})

/** Returns a stage with a roll, and the environment of a program that decides it. */
async function newStage() {
  const tenant = await newOwner(testEnv)
  const { orgSlug, projectSlug, stageSlug } = tenant.at
  const pins = { a: ['user-2'], b: ['Zoë "Z"'] }
  await write(testEnv, tenant, [{ ...roll('NEW CHECKOUT', 0.5, 'Grüße', 'no'), pins }])
  const { token } = await newServiceToken(testEnv, tenant, { projectSlug, stageSlug, role: 'reader' })
  const env = {
    ROLLKEY_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    ROLLKEY_TOKEN: token,
    ROLLKEY_ORG: orgSlug,
    ROLLKEY_PROJECT: projectSlug,
    ROLLKEY_STAGE: stageSlug,
  }
  return { tenant, token, env }
}

describe.each(examplePrograms('in-process', { java: 'Rollkey', others: 'decide' }))('$name', ({ run, isRunnable }) => {
  async function expectDecisions(cases: readonly ExpectedCase[]): Promise<void> {
    const { stdout } = await run(['--cases'], { input: cases.map(({ line }) => `${line}\n`).join('') })
    const found = linesOf(stdout).map((line) => JSON.parse(line) as object)
    expect(found).toHaveLength(cases.length)
    const wrong = cases.flatMap(({ line, decision }, at) =>
      isDeepStrictEqual(found[at], decision) ? [] : [{ line, decision, found: found[at] }],
    )
    expect(wrong.slice(0, 3)).toEqual([])
  }

  test.runIf(isRunnable)('decides as published', () => expectDecisions(knownCases()))

  test.runIf(isRunnable)('decides as the service', async () => {
    const random = new Random(0x10ca1)
    await expectDecisions(Array.from({ length: isLong ? 100_000 : 2_000 }, () => randomCase(random)))
  })

  test.runIf(isRunnable)('fetches a ruleset once, and reports once', async () => {
    const { tenant, token, env } = await newStage()
    const name = 'NEW CHECKOUT'
    const seeds = ['user-1', 'user-2', 'Zoë "Z"', 'user-1']
    const values = seeds.map(
      async (seed) => (await testEnv.client.must('evaluate', { ...tenant.at, name, seed }, { token })).value,
    )
    passed.length = 0
    expect(linesOf((await run([name, ...seeds], { env })).stdout)).toEqual(await Promise.all(values))
    const statuses = passed.map(({ path: at, status }) => [at, status])
    const rulesets = [200, 304, 304, 304].map((status) => ['/v1/env/ruleset', status])
    expect(statuses).toEqual([...rulesets, ['/v1/env/report', 200], ['/v1/env/report', 200]])
    expect(new Set(passed.slice(4).map(({ key }) => key))).not.toContain(undefined)
    expect(passed[5]?.key).toBe(passed[4]?.key)
    const { hours } = await testEnv.client.must('rollCounts', { ...tenant.at, name }, { token: tenant.token })
    const reported = (hours as { reported?: { a: number; b: number } }[]).map((hour) => hour.reported ?? { a: 0, b: 0 })
    expect(reported.reduce((sum, { a, b }) => sum + a + b, 0)).toBe(seeds.length)
    await expect(run(['MISSING'], { env })).rejects.toThrow('Command failed')
  })
})
