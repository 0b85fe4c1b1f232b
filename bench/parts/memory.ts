import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { project } from '../compare.ts'
import { whole } from '../figures.ts'
import { atMost, type Context, type Part, type Section } from '../part.ts'
import { collectOnSignal, megabytes, residentBytesOf } from '../resident-memory.ts'
import { entriesOf } from '../scenarios.ts'
import { call, startService, type Service } from '../target.ts'

const stages = Array.from({ length: 100 }, (_, index) => ({ projectSlug: project, stageSlug: `stage-${index}` }))
const entries = entriesOf(1_000, 0)
const headings = ['100,000 secrets of 32 bytes', 'MB', 'added MB', 'added bytes a variable']

async function callForEachStage(service: Service, where: string, body: object): Promise<void> {
  for (const stage of stages) await call(service, where, { ...stage, ...body })
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.startsWith('rollkey.db'))
  return files.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0)
}

function rowOf(title: string, bytes: number, before?: number): string[] {
  const added = bytes - (before ?? Number.NaN)
  const variables = stages.length * entries.length
  return [title, megabytes(bytes), ...(before === undefined ? ['', ''] : [megabytes(added), whole(added / variables)])]
}

async function run({ stores, tell }: Context): Promise<Section> {
  const home = await stores.newHome('embedded')
  const writer = await startService(home)
  tell('storing 100,000 variables')
  await callForEachStage(writer, '/v1/env/write', { mode: 'upsert', entries })
  await writer.stop()
  const disk = bytesIn(home.folder)
  tell('measuring memory')
  const reader = await startService(home, collectOnSignal)
  // Code that every request needs, and a pull's code, are loaded before the first figure.
  await call(reader, '/v1/env/write', {
    projectSlug: project,
    stageSlug: 'small',
    entries: entriesOf(1, 0),
    mode: 'upsert',
  })
  await call(reader, '/v1/env/pull', { projectSlug: project, stageSlug: 'small' })
  const empty = await residentBytesOf(reader)
  await callForEachStage(reader, '/v1/env/evaluate', { name: entries[0]?.name })
  const evaluated = await residentBytesOf(reader)
  await callForEachStage(reader, '/v1/env/pull', {})
  const pulled = await residentBytesOf(reader)
  await reader.stop()
  return {
    title: 'Memory',
    how:
      '100 stages of 1,000 secrets are written. The service then restarts on the embedded store and evaluates one ' +
      'variable of each stage, which brings the whole stage into memory, sealed. `/metrics` reports the resident memory, ' +
      'after a full garbage collection.',
    headings,
    textColumns: 1,
    rows: [
      rowOf('started, no stage in memory', empty),
      rowOf('one evaluation of each stage', evaluated, empty),
      rowOf('a pull of each stage too, with the bundles that it builds', pulled, empty),
      rowOf('on disk, the embedded store', disk, 0),
    ],
    aims: [atMost('memory added by 100,000 variables', (evaluated - empty) / 1e6, 40, ' MB')],
    notes: [
      'Stages in memory are limited to 256 MiB by an estimate (twice the sealed bytes and 750 a variable). The least ' +
        'recently used are dropped first.',
    ],
    faults: [],
  }
}

export const memory: Part = { name: 'memory', run }
