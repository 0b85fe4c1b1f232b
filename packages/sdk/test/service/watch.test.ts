/** The watch of a stage, by the stream of the real service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { freePort } from '../../../server/testkit/free-port.ts'
import {
  newOwner,
  newServiceToken,
  startTestEnv,
  tenantAt,
  useTestEnv,
  write,
  type TestEnv,
  type TestTenant,
} from '../../../server/testkit/test-env.ts'
import { createClient, type Client } from '../../src/index.ts'

const testEnv = useTestEnv()

/** Long enough that only the stream reports a change during a test. */
const never = 3_600_000
function clientOf({ app }: TestEnv, { at, token }: TestTenant): Client {
  const client = createClient({
    url: app.url,
    org: at.orgSlug,
    project: at.projectSlug,
    stage: at.stageSlug,
    token,
  })
  onTestFinished(() => client.close())
  return client
}

test('a service token of one stage receives its revisions, and no other', async () => {
  const owner = await newOwner(testEnv)
  await write(testEnv, owner, [secret('A', '1')])
  const { token } = await newServiceToken(testEnv, owner, { projectSlug: 'shop', stageSlug: 'prod', readOnly: true })
  const seen: number[] = []
  clientOf(testEnv, { ...owner, token }).watch(({ revision }) => seen.push(revision), { intervalMs: never, since: 0 })
  await expect.poll(() => seen).toEqual([1])
  await write(testEnv, tenantAt(owner, { stageSlug: 'dev' }), [secret('A', '1')])
  await write(testEnv, owner, [secret('A', '2')])
  await expect.poll(() => seen).toEqual([1, 2])
})

test('a restart of the service loses no revision', async () => {
  const own = await startTestEnv({ PORT: String(await freePort()) })
  const tenant = await newOwner(own)
  await write(own, tenant, [secret('A', '1')])
  const client = clientOf(own, tenant)
  const seen: number[] = []
  client.watch(({ revision }) => seen.push(revision), { intervalMs: never })
  while (seen.length === 0) await write(own, tenant, [secret('A', '1')])
  await own.restart()
  const { revision } = await write(own, tenant, [secret('A', '2')])
  await expect.poll(() => seen.at(-1)).toBe(revision)
})

test('an open stream does not keep the process alive', async () => {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [secret('A', '1')])
  const program = `
    import { createClient } from '${path.join(import.meta.dirname, '../../src/index.ts')}'
    const { url, at, token } = JSON.parse(process.env.PLACE)
    const place = { org: at.orgSlug, project: at.projectSlug, stage: at.stageSlug }
    const client = createClient({ url, token, ...place })
    const alive = setInterval(() => {}, 60_000)
    client.watch(({ revision }) => {
      console.log('revision ' + revision)
      clearInterval(alive)
    }, { since: 0 })`
  const place = JSON.stringify({ url: testEnv.app.url, at: tenant.at, token: tenant.token })
  const child = spawn(process.execPath, ['--conditions=source', '--input-type=module', '--eval', program], {
    env: { PATH: process.env['PATH'], PLACE: place },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = text(child.stdout)
  const [status] = await once(child, 'exit')
  expect({ status, output: await output }).toEqual({ status: 0, output: 'revision 1\n' })
})
