import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { openInstallation } from '../../src/compose/installation.ts'
import { readConfig } from '../../src/config.ts'
import { launchEmbeddedApp } from '../../testkit/embedded.ts'
import { queryIdentity, storeSettings } from '../../testkit/store.ts'

test('the sweep deletes all expired sessions, of which there may be many, and no other', async () => {
  const app = await launchEmbeddedApp()
  onTestFinished(() => app.close())
  await app.stop()
  const sessions = async (): Promise<unknown> => {
    const [row] = await queryIdentity(app.dataDir, 'select cast(count(*) as int) as n from session')
    return row?.['n']
  }
  const before = await sessions()
  expect(before).toBeGreaterThan(0)
  await queryIdentity(
    app.dataDir,
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 1100)
     insert into session (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
     select 'expired-' || n, $1, 'expired-' || n, "createdAt", "updatedAt", "userId"
     from numbers, (select * from session limit 1) s returning id`,
    '2020-01-01T00:00:00.000Z',
  )
  const settings = { DATA_DIR: app.dataDir, ...(await storeSettings(app.dataDir)) }
  const config = readConfig(
    Object.fromEntries(Object.entries(settings).map(([name, value]) => [`ROLLKEY_${name}`, value])),
  )
  const { installation, close } = await openInstallation(config, createLog('silent'))
  await installation.identity?.sweep()
  await close()
  expect(await sessions()).toBe(before)
})
