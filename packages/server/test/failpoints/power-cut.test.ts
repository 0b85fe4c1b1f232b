/** Cuts the power at any moment. Acknowledged data is on the disk, whatever happens to unsynced data. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startTestApp } from '../../testkit/app.ts'
import { TestClient } from '../../testkit/client.ts'
import { secret } from '../../testkit/entries.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { startProcess } from '../../testkit/process.ts'
import { startProvider } from '../../testkit/provider.ts'
import { onPostgres } from '../../testkit/store.ts'
import { newTenant } from '../../testkit/test-env.ts'
import { seeded } from '../../testkit/random.ts'
import { hasStrace, stracedTo, Trace } from './power-cut.ts'
import { expectWholeStore } from './whole.ts'

const cuts = 20
const lanes = 4
const writesOfALane = 25

test.skipIf(!isLong || onPostgres || !hasStrace)(
  '20 power cuts lose no acknowledged write and no acknowledged session',
  async () => {
    const provider = await startProvider()
    const dataDir = temporaryFolder()
    const traceFile = path.join(temporaryFolder(), 'trace')
    const server = await startProcess({ ...provider.settings, DATA_DIR: dataDir }, { under: stracedTo(traceFile) })
    const client = new TestClient(server.url, provider)
    const { at, token, user } = await newTenant({ client })

    /** Name and access token that each request wrote, by request id. */
    const written = new Map<string, string>()
    const sessions = new Map<string, string>()
    const work = async (lane: number): Promise<void> => {
      let { refreshToken } = await client.login(user)
      for (let i = 0; i < writesOfALane; i++) {
        const name = `V_${lane}_${i}`
        written.set(`write-${name}.`, name)
        const entries = [secret(name, name)]
        await client.must(
          'write',
          { ...at, mode: 'upsert', entries },
          { token, headers: { 'x-request-id': `write-${name}.` } },
        )
        await client.must('evaluate', { ...at, name }, { token })
        const headers = { 'x-request-id': `refresh-${name}.` }
        const pair = await client.must('tokenRefresh', { refreshToken }, { headers })
        refreshToken = pair.refreshToken as string
        sessions.set(`refresh-${name}.`, pair.accessToken as string)
      }
    }
    await Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)))
    await server.end('SIGKILL')
    await expect.poll(() => readFileSync(traceFile, 'latin1')).toMatch(/\+\+\+ killed by SIGKILL/)
    const trace = new Trace(readFileSync(traceFile, 'latin1'))
    const answers = [...written.keys(), ...sessions.keys()].map((id) => ({ id, line: trace.answeredAt(id) }))
    const begin = Math.min(...answers.map(({ line }) => line))
    expect(begin).toBeGreaterThan(0)
    const random = seeded(5)
    for (let cut = 0; cut < cuts; cut++) {
      const line = begin + Math.floor(random() * (trace.length - begin))
      // Even cuts lose all unsynced data, odd cuts keep a random share of its sectors.
      const share = cut % 2 === 0 ? 0 : random()
      const folder = temporaryFolder()
      for (const [file, content] of trace.cutAt(line, dataDir, () => random() < share)) {
        mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
        writeFileSync(path.join(folder, file), content)
      }
      copyFileSync(path.join(dataDir, 'master.key'), path.join(folder, 'master.key'))
      const app = await startTestApp({}, { provider, dataDir: folder })
      const { variables } = await app.client.must('pull', at, { token })
      const answered = answers.filter((answer) => answer.line < line).map(({ id }) => id)
      const names = answered.flatMap((id) => written.get(id) ?? [])
      expect([cut, names.filter((name) => variables[name] !== name)]).toEqual([cut, []])
      for (const accessToken of answered.flatMap((id) => sessions.get(id) ?? [])) {
        await app.client.must('session', {}, { token: accessToken })
      }
      await app.stop()
      await expectWholeStore(folder)
      rmSync(folder, { recursive: true })
    }
  },
)
