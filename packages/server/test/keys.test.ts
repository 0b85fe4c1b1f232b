/** Changes the master key while clients read. */
import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testkit/app.ts'
import { secret } from '../testkit/entries.ts'
import { useFolder } from '../testkit/folder.ts'
import { runMain } from '../testkit/process.ts'
import { useProvider } from '../testkit/provider.ts'
import { newTenant, tenantAt, write, type TestTenant } from '../testkit/test-env.ts'

const [before, after] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
const during = { MASTER_KEY: after, PREVIOUS_MASTER_KEY: before }
const dataDir = useFolder()
const provider = useProvider()
let app: TestApp

afterEach(() => app.close())

async function evaluated({ at, token }: TestTenant, projectSlug: string): Promise<unknown> {
  return (await app.client.must('evaluate', { ...at, projectSlug, name: 'KEY' }, { token })).value
}

test('no read fails while every data key is wrapped again, and the old master key is not needed afterwards', async () => {
  app = await startTestApp({ MASTER_KEY: before }, { provider, dataDir })
  const tenant = await newTenant(app)
  const projects = Array.from({ length: 12 }, (_, i) => `project-${i}`)
  for (const projectSlug of projects) {
    await write({ client: app.client }, tenantAt(tenant, { projectSlug }), [secret('KEY', projectSlug)])
  }
  await app.stop()
  app = await startTestApp(during, { provider, dataDir })
  const reads = { done: 0, isOver: false }
  const reading = (async () => {
    while (!reads.isOver || reads.done <= projects.length) {
      const projectSlug = projects[reads.done++ % projects.length] ?? ''
      expect(await evaluated(tenant, projectSlug)).toBe(projectSlug)
    }
  })()
  const { stdout, stderr } = await runMain({ DATA_DIR: dataDir, ...during }, ['key', 'rotate'])
  reads.isOver = true
  await reading
  const { rewrapped, masterKey, dataKeys } = JSON.parse(stdout || stderr) as Record<string, unknown>
  expect([rewrapped, dataKeys]).toEqual([projects.length + 1, { [masterKey as string]: projects.length + 1 }])
  await app.stop()
  await expect(startTestApp({ MASTER_KEY: before }, { provider, dataDir })).rejects.toThrow('Nothing was changed.')
  app = await startTestApp({ MASTER_KEY: after }, { provider, dataDir })
  for (const projectSlug of projects) expect(await evaluated(tenant, projectSlug)).toBe(projectSlug)
})
