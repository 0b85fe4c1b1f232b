import { rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { askServer } from '../../packages/server/src/operator/socket.ts'
import { project } from '../compare.ts'
import { quantile, whole } from '../figures.ts'
import type { Context, Part, Section } from '../part.ts'
import { call, startService, type Service } from '../target.ts'

const stages = Array.from({ length: 100 }, (_, index) => ({ projectSlug: project, stageSlug: `stage-${index}` }))
const valueBytes = 1_024
const entries = Array.from({ length: 1_000 }, (_, index) => ({
  kind: 'secret',
  name: `SECRET_${index}`,
  value: String(index).padEnd(valueBytes, '.'),
}))
/** Recipient whose private key was not kept. */
const recipient = 'age1pr023e0vq3dnzg9q9ysu8p9797tjn88gfjce27uuuta3k4dw4ves3tgfv2'
const quietMs = 10_000
const headings = ['one client after the other', 'requests', 'p50 ms', 'p99 ms', 'slowest ms']

/** Sends an evaluation and a write in turn while `shouldContinue` returns true. Returns how long each took. */
async function evaluateAndWrite(
  service: Service,
  shouldContinue: () => boolean,
): Promise<Record<'evaluate' | 'write', number[]>> {
  const times = { evaluate: [] as number[], write: [] as number[] }
  const timed = async (kind: 'evaluate' | 'write', body: object): Promise<void> => {
    const from = performance.now()
    await call(service, `/v1/env/${kind}`, body)
    times[kind].push(performance.now() - from)
  }
  while (shouldContinue()) {
    await timed('evaluate', { ...stages[0], name: entries[0]?.name })
    await timed('write', { projectSlug: project, stageSlug: 'small', mode: 'upsert', entries: entries.slice(0, 1) })
  }
  return times
}

function rowOf(title: string, times: readonly number[]): string[] {
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  return [title, whole(times.length), p50.toFixed(1), p99.toFixed(1), Math.max(...times).toFixed(0)]
}

async function run({ stores, tell }: Context): Promise<Section> {
  const home = await stores.newHome('embedded')
  const service = await startService({
    ...home,
    settings: { ...home.settings, ROLLKEY_BACKUP_RECIPIENT: recipient },
  })
  tell('storing 100,000 variables')
  for (const stage of stages) await call(service, '/v1/env/write', { ...stage, mode: 'upsert', entries })
  tell('measuring an idle service')
  const end = performance.now() + quietMs
  const quiet = await evaluateAndWrite(service, () => performance.now() < end)
  tell('measuring during a backup')
  const file = path.join(home.folder, 'bench.age')
  const from = performance.now()
  let isDone = false
  const backup = askServer(home.folder, 'backup create', { file }).finally(() => (isDone = true))
  const during = await evaluateAndWrite(service, () => !isDone)
  await backup
  const seconds = (performance.now() - from) / 1_000
  const [stored, sealed] = ['rollkey.db', 'bench.age'].map((name) => statSync(path.join(home.folder, name)).size / 1e6)
  rmSync(file)
  await service.stop()
  return {
    title: 'Backup',
    how:
      '100 stages of 1,000 secrets of 1 KiB are written to the embedded store, with their history. One client evaluates and writes ' +
      'in turn, for 10 seconds and then while the service makes a backup.',
    headings,
    textColumns: 1,
    rows: [
      rowOf('evaluate, no backup', quiet.evaluate),
      rowOf('evaluate, during a backup', during.evaluate),
      rowOf('write, no backup', quiet.write),
      rowOf('write, during a backup', during.write),
    ],
    aims: [],
    notes: [
      `The store had ${stored?.toFixed(0)} MB and the backup ${sealed?.toFixed(0)} MB. The backup took ${seconds.toFixed(1)} s.`,
    ],
    faults: [],
  }
}

export const backup: Part = { name: 'backup', run }
