/** Compares the processor time of a request with another checkout, and that checkout with itself, which shows the noise. */
import { prepare } from './compare.ts'
import { faultsOf, median, quantile, ratiosOf, spanText } from './figures.ts'
import type { LoadReport } from './load.ts'
import type { Aim, Context, Section } from './part.ts'
import type { Scenario } from './scenarios.ts'
import { alternate, type Contender, type Measured, type Plan } from './spell.ts'
import { storeTitles, type StoreName } from './stores.ts'
import { repository, startService } from './target.ts'

const usual = { rounds: 20, seconds: 2, warmupSeconds: 3, connections: 64 }
const names = ['this', 'other', 'other again'] as const
type Name = (typeof names)[number]
type AllMeasured = Record<Name, Measured & { rounds: LoadReport[] }>

interface Row {
  readonly title: string
  readonly measured: AllMeasured
}

/** Measures one round on new processes, because two processes of one checkout may differ in speed until they end. */
async function measureRound(
  scenario: Scenario,
  checkoutOf: (name: Name) => string,
  store: StoreName,
  { stores, tell }: Context,
  plan: Plan,
  into: AllMeasured,
): Promise<void> {
  const services = []
  const contenders: [Name, Contender][] = []
  for (const name of names) {
    const service = await startService(await stores.newHome(store, checkoutOf(name)))
    services.push(service)
    contenders.push([name, { ...(await prepare(scenario, service)), target: service }])
  }
  // The order rotates, so that the first of one round is the last of the next.
  const first = into.this.rounds.length % names.length
  const inTurn = Object.fromEntries([...contenders.slice(first), ...contenders.slice(0, first)])
  const measured = await alternate(inTurn, { ...plan, rounds: 1 }, tell)
  for (const name of names) into[name].rounds.push(...(measured[name]?.rounds ?? []))
  await Promise.all(services.map((service) => service.stop()))
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

function cpuText({ rounds }: Measured): string {
  return spanText(rounds.map(cpuOf).map((cpu) => cpu ?? Number.NaN), 1) // prettier-ignore
}

/** Compares this checkout with the one in `folder`. */
export async function against(context: Context, folder: string): Promise<Section> {
  const plan = context.plan(usual)
  const rows: Row[] = []
  for (const store of context.storeNames) {
    for (const scenario of context.scenarios(['secret'])) {
      const measured = {} as AllMeasured
      for (const name of names) measured[name] = { rounds: [], answered: 0 }
      const title = `${scenario.title}, ${storeTitles[store]}`
      for (let round = 1; round <= plan.rounds; round++) {
        const tell = (what: string): void => context.tell(`${title}, round ${round} of ${plan.rounds}: ${what}`)
        const checkoutOf = (name: Name): string => (name === 'this' ? repository : folder)
        await measureRound(scenario, checkoutOf, store, { ...context, tell }, plan, measured)
      }
      rows.push({ title, measured })
    }
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
    aims: rows.map(aimOf),
    notes: [],
    faults: rows.flatMap(({ title, measured }) =>
      names.flatMap((name) => faultsOf(`${title}, ${name}`, measured[name])),
    ),
  }
}
