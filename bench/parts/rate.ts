import { compareOnStores, type Row } from '../compare.ts'
import { faultsOf, latencyText, median, mediansOf, spanText, whole } from '../figures.ts'
import type { LoadReport } from '../load.ts'
import { aimText, below, type Aim, type Context, type Part, type Section } from '../part.ts'
import type { Plot } from '../plot.ts'
import { storeTitles } from '../stores.ts'

/** Short rounds, so that the median leaves out the seconds in which the host of a virtual machine ran something else. */
const usual = { rounds: 25, seconds: 1, warmupSeconds: 10, connections: 64, rate: 1_000 }
const bounds = { embedded: 0.3, postgres: 1.5 } as const
/** What counts an event as durably as the store does. */
const floors = { embedded: 'open', postgres: 'sync' } as const
const headings = [
  'store',
  'request',
  'bare p50 / p99 ms',
  'floor p50 / p99 ms',
  'Rollkey p50 / p99 ms',
  'added p50 ms',
  'added p99 ms (rounds)',
  'aim',
]

/** Returns how much slower Rollkey is than the bare server, for each round. */
function addedOf({ bare, rollkey }: Row, pick: (report: LoadReport) => number): number[] {
  return rollkey.rounds.map((report, round) => pick(report) - pick(bare.rounds[round] as LoadReport))
}

function aimOf(row: Row, rate: number): Aim {
  const added = median(addedOf(row, ({ p99Ms }) => p99Ms))
  return below(
    `added p99 at ${whole(rate)} requests a second, ${storeTitles[row.store]}`,
    added,
    bounds[row.store],
    ' ms',
  )
}

function cellsOf(row: Row, rate: number): string[] {
  return [
    storeTitles[row.store],
    row.title,
    latencyText(mediansOf(row.bare)),
    row.floor ? latencyText(mediansOf(row.floor)) : '',
    latencyText(mediansOf(row.rollkey)),
    median(addedOf(row, ({ p50Ms }) => p50Ms)).toFixed(2),
    spanText(addedOf(row, ({ p99Ms }) => p99Ms)),
    aimText(aimOf(row, rate)),
  ]
}

function plotOf(rows: readonly Row[], rate: number): Plot {
  const bars = rows.flatMap((row) => {
    const [bare, rollkey] = [mediansOf(row.bare).p99Ms, mediansOf(row.rollkey).p99Ms]
    const mark = bare + bounds[row.store]
    return [
      { label: 'bare', value: bare, text: bare.toFixed(2), color: 'bare' as const },
      {
        label: `Rollkey, ${storeTitles[row.store]}`,
        value: rollkey,
        text: rollkey.toFixed(2),
        color: row.store,
        mark,
      },
    ]
  })
  const legend = { bare: 'bare node:http', embedded: 'embedded store', postgres: 'PostgreSQL', mark: 'aim' }
  return { title: `p99 in ms at ${whole(rate)} requests a second`, legend, bars }
}

async function run(context: Context): Promise<Section> {
  const { rate = usual.rate, ...plan } = context.plan(usual)
  const { rows, faults } = await compareOnStores(context, (store) =>
    context.scenarios(['roll']).map((scenario) => ({ scenario, plan: { ...plan, rate }, floor: floors[store] })),
  )
  return {
    title: `Latency at ${whole(rate)} requests a second`,
    how:
      `Over ${plan.connections} connections, ${plan.rounds} rounds of ${plan.seconds} s for each server. Requests are ` +
      'sent when they are due, even if others are unanswered, and latency counts from then. Added: by round, the median of the ' +
      'rounds. The floor does only what the promises need ([floor.ts](floor.ts)): next to the embedded store it appends each event to a ' +
      'file, and next to PostgreSQL it also syncs that file. On PostgreSQL the load shares its core with the database.',
    headings,
    textColumns: 2,
    rows: rows.map((row) => cellsOf(row, rate)),
    aims: rows.map((row) => aimOf(row, rate)),
    notes: [],
    faults: [...faults, ...rows.flatMap((row) => faultsOf(storeTitles[row.store], row.bare, row.rollkey))],
    plot: plotOf(rows, rate),
  }
}

export const rate: Part = { name: 'rate', run }
