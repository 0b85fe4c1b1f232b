import { compareOnStores, ratioOf, tableOf, type Row, type Task } from '../compare.ts'
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
const usual = { rounds: 5, seconds: 1, warmupSeconds: 3, connections: 64 }
const maxStatements = 0.1
/** Minimum number of connections for the aims that do not state a number. */
const underLoad = 64

function boundOf(name: string, { store, connections }: Group): number | undefined {
  if (name.startsWith('pull')) return connections >= underLoad ? 0.5 : undefined
  if (!evaluations.includes(name)) return undefined
  if (store === 'embedded' && connections === 64) return 0.7
  return store === 'postgres' && connections === 256 ? 0.55 : undefined
}

function plotOf(rows: readonly Row[]): Plot {
  return {
    title: 'Requests a second as a share of bare node:http, by request and connections, on one core',
    legend: { embedded: 'embedded store', postgres: 'PostgreSQL', mark: 'aim' },
    bars: rows.map((row) => ({
      label: `${row.title} · ${row.connections}`,
      value: ratioOf(row),
      text: `${ratioOf(row).toFixed(2)} · ${whole(mediansOf(row.rollkey).perSecond)}/s`,
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
          bound: boundOf(scenario.name, group),
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
