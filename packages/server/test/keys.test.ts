/** Changes the master key while clients read. */
import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { newDataDir, startTestApp, type TestApp } from '../testkit/app.ts'
import { TestClock } from '../testkit/clock.ts'
import { runMain } from '../testkit/process.ts'
import { TestProvider } from '../testkit/provider.ts'
import { newTenant, secret, write, type TestTenant } from '../testkit/test-env.ts'

const [before, after] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
const during = { MASTER_KEY: after, PREVIOUS_MASTER_KEY: before }
const clock = new TestClock()
const dataDir = newDataDir()
let provider: TestProvider
let app: TestApp

afterEach(async () => {
  await app.close()
  await provider.close()
})

async function evaluated({ at, token }: TestTenant, projectSlug: string): Promise<unknown> {
  return (await app.client.must('evaluate', { ...at, projectSlug, name: 'KEY' }, { token })).value
}

test('no read fails while every data key is wrapped again, and the old master key is not needed afterwards', async () => {
  provider = await TestProvider.start(clock)
  app = await startTestApp(provider, clock, { MASTER_KEY: before }, dataDir)
  const tenant = await newTenant(app)
  const projects = Array.from({ length: 12 }, (_, i) => `project-${i}`)
  for (const projectSlug of projects) {
    await write({ client: app.client }, { ...tenant, at: { ...tenant.at, projectSlug } }, [secret('KEY', projectSlug)])
  }
  await app.stop()
  app = await startTestApp(provider, clock, during, dataDir)
  const reads = { done: 0, isOver: false }
  const reading = (async () => {
    while (!reads.isOver) {
      const projectSlug = projects[reads.done++ % projects.length] ?? ''
      expect(await evaluated(tenant, projectSlug)).toBe(projectSlug)
    }
  })()
  const { stdout, stderr } = await runMain({ DATA_DIR: dataDir, ...during }, ['key', 'rotate'])
  reads.isOver = true
  await reading
  expect(reads.done).toBeGreaterThan(projects.length)
  const { rewrapped, masterKey, dataKeys } = JSON.parse(stdout || stderr) as Record<string, unknown>
  expect([rewrapped, dataKeys]).toEqual([projects.length + 1, { [masterKey as string]: projects.length + 1 }])
  await app.stop()
  await expect(startTestApp(provider, clock, { MASTER_KEY: before }, dataDir)).rejects.toThrow('Nothing was changed.')
  app = await startTestApp(provider, clock, { MASTER_KEY: after }, dataDir)
  for (const projectSlug of projects) expect(await evaluated(tenant, projectSlug)).toBe(projectSlug)
})
