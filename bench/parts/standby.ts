import { copyFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { FileTarget } from '../../packages/server/src/replica/file-target.ts'
import { statusOf } from '../../packages/server/src/replica/status.ts'
import { project } from '../compare.ts'
import { newFolder } from '../machine.ts'
import type { Context, Part, Section } from '../part.ts'
import { administer, answerOf, call, eventually, repository, startServer, startService } from '../target.ts'

const stages = 100
const variables = 1_000
const entries = Array.from({ length: variables }, (_, index) => ({
  kind: 'secret',
  name: `SECRET_${index}`,
  value: `value ${index}`,
}))
const maxSeconds = 5
const main = path.join(repository, 'packages/server/src/main.ts')

/** Waits until the replica has what was committed before now. */
async function shipped(replica: string): Promise<void> {
  const nowMs = Date.now()
  await eventually(async () => {
    const { to } = await statusOf(new FileTarget(replica))
    if (to === undefined || Date.parse(to) <= nowMs) throw new Error('the replica is behind')
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1_000
}

async function run({ stores, tell }: Context): Promise<Section> {
  const [home, other, replica] = [await stores.newHome('embedded'), await stores.newHome('embedded'), newFolder()]
  const keyFile = path.join(newFolder(), 'backup.key')
  const { set } = await administer<{ set: string }>(home, 'backup', 'new-key', keyFile)
  const shared = { ROLLKEY_REPLICA_URL: `file:${replica}`, ROLLKEY_BACKUP_RECIPIENT: set.split('=')[1] ?? '' }
  const service = await startService({ ...home, settings: { ...home.settings, ...shared } })
  tell('storing 100,000 variables')
  for (let stage = 0; stage < stages; stage++)
    await call(service, '/v1/env/write', { projectSlug: project, stageSlug: `stage-${stage}`, mode: 'upsert', entries })
  copyFileSync(path.join(home.folder, 'master.key'), path.join(other.folder, 'master.key'))
  const settings = { ...other.settings, ...shared, ROLLKEY_PORT: '0' } as const
  tell('starting a standby')
  await call(service, '/v1/env/write', {
    projectSlug: project,
    stageSlug: 'last',
    mode: 'upsert',
    entries: entries.slice(0, 1),
  })
  await shipped(replica)
  let standby = await startServer([process.execPath, main, 'standby', '--key-file', keyFile], settings)
  const reading = await timed(async () => {
    await standby.stop()
    standby = await startServer([process.execPath, main, 'standby', '--key-file', keyFile], settings)
  })
  tell('promoting it')
  process.kill(service.pid, 'SIGKILL')
  const promoting = await timed(async () => {
    const { publicUrl } = await administer<{ publicUrl: string }>({ ...other, settings }, 'standby', 'promote')
    await answerOf(`${publicUrl}/readyz`)
  })
  const megabytes = statSync(path.join(other.folder, 'rollkey.db')).size / 1e6
  await standby.stop()
  return {
    title: 'Standby',
    how:
      '100 stages of 1,000 secrets are written to the embedded store and shipped to a folder. A standby follows. The service is killed, ' +
      'and `standby promote` is run, until the standby answers that it is ready.',
    headings: ['step', 'seconds'],
    textColumns: 1,
    rows: [
      ['start of a standby that has the store', reading.toFixed(1)],
      ['from the command to a ready service', promoting.toFixed(1)],
    ],
    aims: [
      {
        what: 'from the command to a ready service',
        bound: `≤ ${maxSeconds} s`,
        figure: `${promoting.toFixed(1)} s`,
        isMet: promoting <= maxSeconds,
      },
    ],
    notes: [`The store had ${megabytes.toFixed(0)} MB.`],
    faults: [],
  }
}

export const standby: Part = { name: 'standby', run }
