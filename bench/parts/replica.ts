import { readFileSync } from 'node:fs'
import path from 'node:path'
import { besideHeadings, besideLoadText, measureBeside } from '../beside.ts'
import { newFolder } from '../machine.ts'
import { atMost, type Context, type Part, type Section } from '../part.ts'
import { administer, startService, type Service } from '../target.ts'

/** Starts a service without a replica, and one that ships to a folder. */
async function startBoth({ stores }: Context): Promise<readonly [Service, Service]> {
  const home = await stores.newHome('embedded')
  const { set } = await administer<{ set: string }>(home, 'backup', 'new-key', path.join(newFolder(), 'backup.key'))
  const settings = {
    ...home.settings,
    ROLLKEY_REPLICA_URL: `file:${newFolder()}`,
    ROLLKEY_BACKUP_RECIPIENT: set.split('=')[1] ?? '',
  }
  return [await startService(await stores.newHome('embedded')), await startService({ ...home, settings })]
}

/** Returns the bytes that a process has given its disks so far (proc_pid_io(5)). Returns NaN where Linux does not tell. */
function bytesWrittenBy({ pid }: Service): number {
  try {
    return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
  } catch {
    return Number.NaN
  }
}

async function run(context: Context): Promise<Section> {
  const services = await startBoth(context)
  const before = services.map(bytesWrittenBy)
  const figures = await measureBeside({ store: 'embedded', what: 'a replica', services }, context)
  const bytes = services.map((service, index) => bytesWrittenBy(service) - (before[index] ?? 0))
  const answered = (which: 'without' | 'with'): number =>
    figures.reduce((sum, { measured }) => sum + measured[which].answered, 0)
  const [without, withIt] = [(bytes[0] ?? 0) / answered('without'), (bytes[1] ?? 0) / answered('with')]
  await Promise.all(services.map((service) => service.stop()))
  return {
    title: 'Replica',
    how: `Two services with the same load: one that ships to a folder on the same disk, and one without a replica. ${besideLoadText(context)}`,
    headings: besideHeadings,
    textColumns: 2,
    rows: figures.map(({ row }) => row),
    aims: [
      ...figures.map(({ aim }) => aim),
      atMost('bytes written for a request: times without a replica', withIt / without, 2),
    ],
    notes: [`Bytes written for a request: ${Math.round(without)} without, ${Math.round(withIt)} with the replica.`],
    faults: figures.flatMap((each) => each.faults),
  }
}

export const replica: Part = { name: 'replica', run }
