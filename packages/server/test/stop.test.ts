/** Stops the service under load, twice on one data directory. No answer is lost, and none is counted twice. */
import { Agent, request } from 'node:http'
import { pause } from '../testkit/pause.ts'
import { expect, test } from 'vitest'
import { usageOf } from '../testkit/app.ts'
import { newUser, TestClient } from '../testkit/client.ts'
import { temporaryFolder } from '../testkit/folder.ts'
import { startProcess } from '../testkit/process.ts'
import { startProvider } from '../testkit/provider.ts'

const stops = 2
const clients = 16
const user = newUser('stop')
const at = { orgSlug: user.orgSlug, projectSlug: 'shop', stageSlug: 'prod' }

/**
 * Returns the status of an evaluation over a kept connection, or 'closed' if nothing listens anymore, or 'missed' if the connection was
 * closed while the request was on its way (RFC 9112, section 9.3.1).
 */
function evaluate(url: string, token: string, agent: Agent): Promise<number | 'closed' | 'missed'> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/v1/env/evaluate`, { method: 'POST', agent })
    outgoing.setHeader('authorization', `Bearer ${token}`)
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve('closed')
      else if (error.code === 'ECONNRESET' && outgoing.reusedSocket) resolve('missed')
      else reject(error)
    })
    outgoing.on('response', (response) => {
      response.on('error', reject)
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
    outgoing.end(JSON.stringify({ ...at, name: 'A' }))
  })
}

interface Client {
  answers: number
}

/** Evaluates without a pause until nothing listens, and counts the answers. */
async function evaluateUntilClosed(url: string, token: string, client: Client): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (;;) {
    const status = await evaluate(url, token, agent)
    if (status === 'closed') return
    expect([200, 'missed']).toContain(status)
    if (status === 200) client.answers++
  }
}

test('a stop under load answers and counts exactly the requests that arrived', async () => {
  const dataDir = temporaryFolder()
  const provider = await startProvider()
  const settings = { DATA_DIR: dataDir, ...provider.settings }
  let answered = 0
  for (let stop = 0; stop < stops; stop++) {
    const server = await startProcess(settings)
    const client = new TestClient(server.url, provider)
    const { accessToken } = await client.login(user)
    const entries = [{ name: 'A', kind: 'secret', value: String(stop) }]
    await client.must('write', { ...at, mode: 'upsert', entries }, { token: accessToken })
    const crowd = Array.from({ length: clients }, (): Client => ({ answers: 0 }))
    const load = Promise.all(crowd.map((each) => evaluateUntilClosed(server.url, accessToken, each)))
    while (crowd.some(({ answers }) => answers < 5)) await pause(13)
    expect(await server.end('SIGTERM')).toBe(0)
    await load
    for (const { answers } of crowd) answered += answers
    expect(server.output()).not.toMatch(/"level":"(error|fatal)"/)
  }
  expect(await usageOf({ dataDir }, user.orgSlug)).toBe(answered)
})
