/** Kills a rotation of keys between any two steps. Every value opens as before, and the next rotation completes it. */
import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { openInstallation } from '../../src/compose/installation.ts'
import { readConfig } from '../../src/config.ts'
import { launchTestApp, startTestApp } from '../../testkit/app.ts'
import { secret } from '../../testkit/entries.ts'
import { faults, under } from '../../testkit/faults.ts'
import { temporaryFolder, useFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { onStore } from '../../testkit/operator.ts'
import { useProvider } from '../../testkit/provider.ts'
import { onPostgres } from '../../testkit/store.ts'
import { newTenant, tenantAt, write, type TestTenant } from '../../testkit/test-env.ts'
import { silent } from '../storage/temporary.ts'
import { expectWholeStore } from './whole.ts'

const projects = ['first', 'second']
const dataDir = useFolder()
const keys = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')] as const
const provider = useProvider()
let tenant: TestTenant

beforeAll(async () => {
  const app = await launchTestApp({ MASTER_KEY: keys[0] }, { provider, dataDir })
  tenant = await newTenant(app)
  for (const projectSlug of projects) {
    await write(app, tenantAt(tenant, { projectSlug }), [secret('A', projectSlug)])
  }
  await app.stop()
})

async function run(command: string, folder: string): Promise<void> {
  const environment = {
    ROLLKEY_DATA_DIR: folder,
    ROLLKEY_MASTER_KEY: keys[1],
    ROLLKEY_PREVIOUS_MASTER_KEY: keys[0],
    ROLLKEY_IDP_ISSUER: provider.issuer,
  }
  const { installation, close } = await openInstallation(readConfig(environment), silent)
  await onStore(installation, command).finally(close)
}

async function expectValues(folder: string, settings: Record<string, string>): Promise<void> {
  const app = await startTestApp(settings, { provider, dataDir: folder })
  for (const projectSlug of projects) {
    const { value } = await app.client.must(
      'evaluate',
      { ...tenant.at, projectSlug, name: 'A' },
      { token: tenant.token },
    )
    expect(value).toBe(projectSlug)
  }
  await app.stop()
  await expectWholeStore(folder)
}

test.runIf(isLong && !onPostgres).each(['key rotate', 'data-key rotate'])(
  '%s is completed by its next run after a kill between any two steps',
  async (command) => {
    const left: string[] = []
    const copied = (from: string): string => {
      const folder = temporaryFolder()
      left.push(folder)
      cpSync(from, folder, { recursive: true })
      return folder
    }
    const rotated = copied(dataDir)
    faults.copy = () => void copied(rotated)
    await under({ meet: (point) => (point.startsWith('after ') ? 'copy' : undefined) }, () => run(command, rotated))
    expect(left.length).toBeGreaterThan(10)
    for (const folder of left) {
      await expectValues(folder, { MASTER_KEY: keys[1], PREVIOUS_MASTER_KEY: keys[0] })
      await run('key rotate', folder)
      await run(command, folder)
      await expectValues(folder, { MASTER_KEY: keys[1] })
    }
  },
)
