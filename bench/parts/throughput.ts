import { compareOnStores, cpuShareOf, tableOf, type Row, type Task } from '../compare.ts'
import { mediansOf, whole } from '../figures.ts'
import { below, type Context, type Part, type Section } from '../part.ts'
import type { Plot } from '../plot.ts'
import { scenarios } from '../scenarios.ts'
import type { StoreName } from '../stores.ts'

interface Group {
  readonly store: StoreName
  readonly connections: number
  readonly names: readonly string[]
}

const evaluations = ['secret', 'secrets', 'roll']
const all = scenarios.map(({ name }) => name)
const groups: readonly Group[] = [
  { store: 'embedded', connections: 64, names: all },
  { store: 'embedded', connections: 256, names: evaluations },
  // With one connection no other request shares the opened text.
  { store: 'embedded', connections: 1, names: ['pull'] },
  { store: 'postgres', connections: 64, names: [...evaluations, 'pull'] },
  { store: 'postgres', connections: 256, names: evaluations },
]
const usual = { rounds: 11, seconds: 0.5, warmupSeconds: 3, connections: 64 }
const maxStatements = 0.1
/** Minimum number of connections for the aims that do not state a number. */
const underLoad = 64

/** Minimum share of the bare server by processor time, by scenario. */
const bounds: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'embedded 64': { secret: 0.68, secrets: 0.6, roll: 0.65, batch: 0.55, pull: 0.55, 'pull-rolls': 0.55 },
  'embedded 1': { pull: 0.45 },
  'postgres 256': { secret: 0.62, secrets: 0.52, roll: 0.6 },
}

function plotOf(rows: readonly Row[]): Plot {
  return {
    title: 'Processor time of bare node:http as a share of Rollkey, by request and connections',
    legend: { embedded: 'embedded store', postgres: 'PostgreSQL', mark: 'aim' },
    bars: rows.map((row) => ({
      label: `${row.title} · ${row.connections}`,
      value: cpuShareOf(row),
      text: `${cpuShareOf(row).toFixed(2)} · ${whole(mediansOf(row.rollkey).perSecond)}/s`,
      color: row.store,
      mark: row.bound,
    })),
  }
}

function tasksOf(store: StoreName, { connections, scenarios: chosen, plan }: Context): Task[] {
  const selected = connections === undefined ? groups : [{ store, connections, names: all }]
  return selected
    .filter((group) => group.store === store)
    .flatMap((group) =>
      chosen(all)
        .filter(({ name }) => group.names.includes(name))
        .map((scenario) => ({
          scenario,
          plan: plan({ ...usual, connections: group.connections }),
          bound: bounds[`${group.store} ${group.connections}`]?.[scenario.name],
        })),
    )
}

async function run(context: Context): Promise<Section> {
  const { rows, faults } = await compareOnStores(context, (store) => tasksOf(store, context))
  const { rounds, seconds } = context.plan(usual)
  const { doubts, ...table } = tableOf(rows)
  const statementCounts = rows
    .filter(({ store, connections }) => store === 'postgres' && connections >= underLoad)
    .map(({ statements }) => statements)
  const answered = rows.reduce((sum, { rollkey }) => sum + rollkey.answered, 0)
  return {
    title: 'Throughput',
    how:
      `Each connection sends its next request when it has its answer, in ${rounds} rounds of ${seconds} s for each server. PostgreSQL ` +
      'itself counts the statements (pg_stat_statements). Pulls in one turn of the event loop share the ' +
      'opened text, which one connection cannot do.',
    ...table,
    aims: [
      ...table.aims,
      ...(statementCounts.length > 0
        ? [below('statements to PostgreSQL a request, at most', Math.max(...statementCounts), maxStatements)]
        : []),
    ],
    notes: [`All ${whole(answered)} requests that Rollkey answered are in its ledger exactly once.`, ...doubts],
    faults: [...table.faults, ...faults],
    plot: plotOf(rows),
  }
}

export const throughput: Part = { name: 'throughput', run }
