import { prepare } from '../compare.ts'
import { faultsOf, latencyText, mediansOf, median, ratiosOf, spanText, whole } from '../figures.ts'
import { aimText, atMost, type Aim, type Context, type Part, type Section } from '../part.ts'
import { scenarios } from '../scenarios.ts'
import { alternate, type Measured } from '../spell.ts'
import { startBare, startService, type Service } from '../target.ts'

const usual = { rounds: 9, seconds: 2, warmupSeconds: 3, connections: 64, rate: 2_000 }
const bound = 1.1
const headings = ['request', 'server', 'workers', 'req/s', 'p50 / p99 ms', 'CPU µs', 'of one worker (rounds)', 'aim']
const measured = scenarios.filter(({ name }) => ['secret', 'roll'].includes(name))

/** Returns the processor time of a request to two workers, in relation to one, for each round. */
function costOf(one: Measured, two: Measured): number[] {
  return ratiosOf(two, one, ({ serverCpuUs }) => serverCpuUs)
}

function rowOf(title: string, name: string, result: Measured, cost = '', aim = ''): string[] {
  const medians = mediansOf(result)
  const figures = [whole(medians.perSecond), latencyText(medians), medians.cpuUs.toFixed(1)]
  return [title, ...name.split(' '), ...figures, cost, aim]
}

async function run({ stores, plan: planOf, tell }: Context): Promise<Section> {
  const plan = planOf(usual)
  const home = await stores.newHome('postgres')
  const startWith = (count: number): Promise<Service> =>
    startService({ ...home, settings: { ...home.settings, ROLLKEY_WORKERS: String(count) } })
  const services = [await startWith(1), await startWith(2)] as const
  const rows: string[][] = []
  const aims: Aim[] = []
  const faults: string[] = []
  for (const scenario of measured) {
    const { title } = scenario
    const prepared = await prepare(scenario, services[0])
    const bare = [
      await startBare(prepared.bodyBytes ?? 0),
      await startBare(prepared.bodyBytes ?? 0, { workers: 2 }),
    ] as const
    const contenders = {
      'bare 1': { ...prepared, target: bare[0] },
      'bare 2': { ...prepared, target: bare[1] },
      'Rollkey 1': { ...prepared, target: services[0] },
      'Rollkey 2': { ...prepared, target: services[1] },
    }
    const results = await alternate(contenders, plan, (what) => tell(`${title}: ${what}`))
    await Promise.all(bare.map((server) => server.stop()))
    const cost = costOf(results['Rollkey 1'], results['Rollkey 2'])
    const aim = atMost(`${title}: CPU of two workers, times one`, median(cost), bound)
    aims.push(aim)
    rows.push(
      rowOf(title, 'bare 1', results['bare 1']),
      rowOf(title, 'bare 2', results['bare 2'], spanText(costOf(results['bare 1'], results['bare 2']))),
      rowOf(title, 'Rollkey 1', results['Rollkey 1']),
      rowOf(title, 'Rollkey 2', results['Rollkey 2'], spanText(cost), aimText(aim)),
    )
    faults.push(...faultsOf(title, ...Object.values(results)))
  }
  await Promise.all(services.map((service) => service.stop()))
  return {
    title: 'Workers',
    how:
      `${whole(plan.rate ?? usual.rate)} requests a second on PostgreSQL, over ${plan.connections} connections, to one worker and to ` +
      'two in turn. All of them have one core, so this is what dividing the same work costs. CPU is that of all processes of a server. ' +
      'Bare has no database, so its two workers show what waking twice as often costs.',
    headings,
    textColumns: 3,
    rows,
    aims,
    notes: [],
    faults,
  }
}

export const workers: Part = { name: 'workers', run }
