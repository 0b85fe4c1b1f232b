import path from 'node:path'
import { compare, project, tableOf, type Row } from '../compare.ts'
import { mediansOf } from '../figures.ts'
import { newFolder } from '../machine.ts'
import { atLeast, type Aim, type Context, type Part, type Section } from '../part.ts'
import { entriesOf } from '../scenarios.ts'
import { httpRequest } from '../spell.ts'
import { storeTitles } from '../stores.ts'
import { call, org, startBare, startService, type Service } from '../target.ts'

interface Load {
  readonly title: string
  readonly connections: number
  readonly projects: number
}

const usual = { rounds: 5, seconds: 1, warmupSeconds: 4 }
const entries = entriesOf(15, 5)
const where = '/v1/env/write'
const loads: readonly Load[] = [
  { title: 'write to one stage', connections: 1, projects: 1 },
  { title: 'write to one stage', connections: 16, projects: 1 },
  { title: 'write to a stage each of 16 projects', connections: 16, projects: 16 },
]

function stagesOf({ connections, projects }: Load): object[] {
  const stageSlug = `writes-${connections}-${projects}`
  return Array.from({ length: projects }, (_, index) => ({ projectSlug: `${project}-${index}`, stageSlug }))
}

/** Measures writes, and reports a fault unless each acknowledged write made a revision. */
async function measure(load: Load, service: Service, context: Context): Promise<{ row: Row; faults: string[] }> {
  const bodies = stagesOf(load).map((stage) => ({ ...stage, mode: 'upsert', entries }))
  let answer = {}
  for (const body of bodies) answer = await call(service, where, body)
  // With several stages, consecutive requests go to different ones.
  const requests = entries.flatMap((entry) =>
    bodies.map((body) =>
      httpRequest(
        'POST',
        where,
        `Bearer ${service.token}`,
        JSON.stringify({ orgSlug: org, ...body, entries: [entry] }),
      ),
    ),
  )
  const bare = await startBare(Buffer.byteLength(JSON.stringify(answer)), { file: path.join(newFolder(), 'writes') })
  const plan = context.plan({ ...usual, connections: load.connections })
  // The revision number gets longer, and so does the answer.
  const row = await compare(load.title, { service, bare }, { requests, bodyBytes: undefined }, plan, context.tell)
  let revisions = -bodies.length
  for (const stage of stagesOf(load)) {
    revisions += (await call<{ revision: number }>(service, '/v1/env/list', stage)).revision
  }
  const { answered } = row.rollkey
  return {
    row,
    faults: revisions === answered ? [] : [`acknowledged ${answered} writes but found ${revisions} revisions`],
  }
}

/** Returns how much more 16 writers to one stage write than a single one. */
function aimsOf(rows: readonly Row[]): Aim[] {
  const perSecond = (store: string, connections: number): number => {
    const row = rows.find((each) => each.store === store && each.connections === connections)
    return row ? mediansOf(row.rollkey).perSecond : Number.NaN
  }
  return [...new Set(rows.map(({ store }) => store))].map((store) =>
    atLeast(`16 writers to one stage, ${storeTitles[store]}: times one`, perSecond(store, 16) / perSecond(store, 1), 2),
  )
}

async function run(context: Context): Promise<Section> {
  const measured = []
  for (const store of context.storeNames) {
    const service = await startService(await context.stores.newHome(store))
    for (const load of loads) measured.push(await measure(load, service, context))
    await service.stop()
  }
  const { rounds, seconds } = context.plan({ ...usual, connections: 1 })
  const rows = measured.map(({ row }) => row)
  const { doubts: _, ...table } = tableOf(rows)
  return {
    title: 'Durable writes',
    how:
      `Upserts of one entry into stages of ${entries.length}, synced to disk before the answer, in ${rounds} rounds of ${seconds} s ` +
      'for each server. Bare is a `node:http` server that parses the body, appends it to a file and calls `fdatasync` before ' +
      'it answers, with one sync per write. It seals nothing and keeps neither revisions nor an index.',
    ...table,
    aims: aimsOf(rows),
    notes: ['Each acknowledged write is a revision of its stage, as a count after the rounds shows.'],
    faults: [...table.faults, ...measured.flatMap(({ faults }) => faults)],
  }
}

export const writes: Part = { name: 'writes', run }
