/** The support bundle has what helps, and nothing that is secret or names anyone. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import type { LiveReport } from '../src/operator/command.ts'
import { Canaries } from '../testkit/canaries.ts'
import { secret } from '../testkit/entries.ts'
import { temporaryFolder } from '../testkit/folder.ts'
import { offline } from '../testkit/operator.ts'
import { storeSettings } from '../testkit/store.ts'
import { newTenant, tenantAt, useTestEnv, write } from '../testkit/test-env.ts'

const canaries = new Canaries()
const masterKey = crypto.getRandomValues(Buffer.alloc(32))
canaries.add('the master key', masterKey)
const metricsToken = canaries.plant('the token of the metrics')
const settings = { MASTER_KEY: masterKey.toString('base64'), METRICS_TOKEN: metricsToken, STAGE_VARIABLES: '9000' }
const testEnv = useTestEnv(settings)

interface Bundle {
  readonly settings: Record<string, string>
  readonly checks: Record<string, string>
  readonly store: { readonly kind: string; readonly rows: Record<string, number> }
  readonly metrics: readonly string[]
  readonly log: readonly Record<string, unknown>[]
}

async function written(more: Record<string, string>, lines: readonly string[]) {
  const { dataDir, url } = testEnv.app
  const folder = temporaryFolder()
  const [file, log] = [path.join(folder, 'bundle.json'), path.join(folder, 'log')]
  writeFileSync(log, lines.join(''))
  const all = { DATA_DIR: dataDir, PORT: new URL(url).port, ...(await storeSettings(dataDir)), ...settings, ...more }
  const config = readConfig(Object.fromEntries(Object.entries(all).map(([name, value]) => [`ROLLKEY_${name}`, value])))
  const report = (await offline(config, 'support-bundle', file, '--log', log)) as LiveReport
  const first = await report.parts.next()
  expect(() => statSync(file)).toThrow('ENOENT')
  expect(first.value).toContain('which settings are set')
  let step = first
  while (step.done !== true) step = await report.parts.next()
  return { file, text: readFileSync(file, 'utf8'), folder }
}

test('says what it has, and then writes it to a file of mode 0600, without secrets and names', async () => {
  const planted = (what: string): string => canaries.plant(what)
  const tenant = tenantAt(await newTenant(testEnv), {
    projectSlug: planted('a project'),
    stageSlug: planted('a stage'),
  })
  await write(testEnv, tenant, [secret(planted('a name'), planted('a value'))])
  canaries.add('the organization', tenant.at.orgSlug)
  const line = (fields: object): string => `${JSON.stringify({ level: 'error', time: 1, ...fields })}\n`
  const { file, text, folder } = await written(
    {
      PUBLIC_URL: `https://${planted('a host')}.example`,
      IDP_OWNERS: planted('a person'),
      PLAN: 'free',
    },
    [
      ...testEnv.app.log,
      line({
        msg: 'request failed',
        endpoint: 'list',
        status: 500,
        orgId: planted('an id'),
        requestId: planted('a request'),
      }),
      line({ msg: 'company sign-in failed', provider: planted('a company'), code: `a "quoted" ${planted('a code')}` }),
      line({ msg: planted('a message') }),
      `${planted('a line')}\n`,
    ],
  )
  expect(statSync(file).mode & 0o777).toBe(0o600)
  canaries.add('the folder', folder)
  canaries.expectNoneIn('the bundle', text)
  const bundle = JSON.parse(text) as Bundle
  expect(bundle.settings).toMatchObject({
    ROLLKEY_MASTER_KEY: 'set',
    ROLLKEY_PUBLIC_URL: 'set',
    ROLLKEY_PLAN: 'free',
    ROLLKEY_STAGE_VARIABLES: '9000',
    ROLLKEY_STAGE_BYTES: 'default',
  })
  expect(bundle.checks).toMatchObject({ schema: 'ok', 'data keys': 'ok' })
  expect(bundle.store.rows).toMatchObject({ variables: 1, organizations: 1 })
  expect(bundle.metrics).toContain('rollkey_ready 1')
  expect(bundle.log).toContainEqual({ time: 1, level: 'error', msg: 'request failed', endpoint: 'list', status: 500 })
  expect(bundle.log).toContainEqual({ time: 1, level: 'warn', msg: 'company sign-in failed' })
  const missing = (await offline(readConfig({}), 'support-bundle', file, '--log', `${file}.none`)) as LiveReport
  await missing.parts.next()
  await expect(missing.parts.next()).rejects.toThrow('There is no file of --log')
})
