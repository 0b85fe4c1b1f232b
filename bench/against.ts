/** Compares the processor time of a request with another checkout, and that checkout with itself, which shows the noise. */
import { prepare } from './compare.ts'
import { faultsOf, median, quantile, ratiosOf, spanText } from './figures.ts'
import type { LoadReport } from './load.ts'
import type { Aim, Context, Section } from './part.ts'
import type { Scenario } from './scenarios.ts'
import { alternate, type Contender, type Measured } from './spell.ts'
import { storeTitles, type StoreName } from './stores.ts'
import { repository, startService, type Service } from './target.ts'

const usual = { rounds: 20, seconds: 2, warmupSeconds: 3, connections: 64 }
const names = ['this', 'other', 'other again'] as const
type Name = (typeof names)[number]
type AllMeasured = Record<Name, Measured & { rounds: LoadReport[] }>

interface Row {
  readonly scenario: Scenario
  readonly title: string
  readonly measured: AllMeasured
}

/** Measures one round of all rows on new processes, because two processes of one checkout may differ in speed until they end. */
async function measureRound(
  rows: readonly Row[],
  checkoutOf: (name: Name) => string,
  store: StoreName,
  round: number,
  { stores, plan: planOf, tell }: Context,
): Promise<void> {
  const services: [Name, Service][] = []
  for (const name of names) services.push([name, await startService(await stores.newHome(store, checkoutOf(name)))])
  // The order rotates, so that the first of one round is the last of the next.
  const first = round % names.length
  const inTurn = [...services.slice(first), ...services.slice(0, first)]
  for (const { scenario, title, measured } of rows) {
    const contenders: Partial<Record<Name, Contender>> = {}
    for (const [name, service] of inTurn) contenders[name] = { ...(await prepare(scenario, service)), target: service }
    const results = await alternate(contenders as Record<Name, Contender>, { ...planOf(usual), rounds: 1 }, (what) =>
      tell(`${title}, round ${round + 1}: ${what}`),
    )
    for (const name of names) measured[name].rounds.push(...results[name].rounds)
  }
  await Promise.all(services.map(([, service]) => service.stop()))
}

const cpuOf = ({ serverCpuUs }: LoadReport): number | undefined => serverCpuUs

/** Returns the ratios of this checkout to the other one, and of the other one to itself, by round. */
function ratios({ measured }: Row): { both: number[]; same: number[] } {
  const { this: here, other, 'other again': again } = measured
  return { both: ratiosOf(here, other, cpuOf), same: ratiosOf(again, other, cpuOf) }
}

function aimOf(row: Row): Aim {
  const { both, same } = ratios(row)
  const bound = quantile(same, 0.75)
  const figure = median(both)
  const what = `${row.title}: CPU of a request relative to the other checkout (bound: upper quartile of that checkout relative to itself)`
  return { what, bound: `≤ ${bound.toFixed(3)}`, figure: figure.toFixed(3), isMet: figure <= bound }
}

function leastCpuOf(...all: readonly Measured[]): number {
  return Math.min(...all.flatMap(({ rounds }) => rounds.map((report) => cpuOf(report) ?? Infinity)))
}

/** Compares the best rounds, because other programs on the machine only ever add processor time. */
function aimWithin(limit: number, { title, measured }: Row): Aim {
  const figure = leastCpuOf(measured.this) / leastCpuOf(measured.other, measured['other again'])
  const what = `${title}: CPU of a request in the best round relative to the other checkout`
  return { what, bound: `≤ ${limit}`, figure: figure.toFixed(2), isMet: figure <= limit }
}

function cpuText({ rounds }: Measured): string {
  return spanText(rounds.map(cpuOf).map((cpu) => cpu ?? Number.NaN), 1) // prettier-ignore
}

/** Compares this checkout with the one in `folder`. */
export async function against(context: Context, folder: string): Promise<Section> {
  const plan = context.plan(usual)
  const rows: Row[] = []
  for (const store of context.storeNames) {
    const ofStore = context.scenarios(['secret']).map((scenario): Row => {
      const measured = {} as AllMeasured
      for (const name of names) measured[name] = { rounds: [], answered: 0 }
      return { scenario, title: `${scenario.title}, ${storeTitles[store]}`, measured }
    })
    const checkoutOf = (name: Name): string => (name === 'this' ? repository : folder)
    for (let round = 0; round < plan.rounds; round++) await measureRound(ofStore, checkoutOf, store, round, context)
    rows.push(...ofStore)
  }
  return {
    title: 'Processor time of a request, compared with another checkout',
    how:
      `${plan.rounds} rounds of ${plan.seconds} s over ${plan.connections} connections, in turn and on new processes in each round: ` +
      'this checkout, the other one, and the other one again. Figures: median (lowest–highest), ratios by round.',
    headings: ['request', 'this µs', 'other µs', 'other again µs', 'this / other', 'other again / other'],
    textColumns: 1,
    rows: rows.map((row) => {
      const { both, same } = ratios(row)
      return [row.title, ...names.map((name) => cpuText(row.measured[name])), spanText(both, 3), spanText(same, 3)]
    }),
    aims: rows.map((row) => (context.limit === undefined ? aimOf(row) : aimWithin(context.limit, row))),
    notes: [],
    faults: rows.flatMap(({ title, measured }) =>
      names.flatMap((name) => faultsOf(`${title}, ${name}`, measured[name])),
    ),
  }
}
