import { prepare } from '../compare.ts'
import { faultsOf, mediansOf, median, ratiosOf, spanText, whole } from '../figures.ts'
import type { Aim, Context, Part, Section } from '../part.ts'
import { scenarios } from '../scenarios.ts'
import { alternate, type Contender } from '../spell.ts'
import { startService } from '../target.ts'

const usual = { rounds: 9, seconds: 2, warmupSeconds: 3, connections: 64, rate: 2_000 }
const bound = 1.1
const counts = [1, 2] as const
const headings = ['request', 'workers', 'req/s', 'p50 / p99 ms', 'CPU µs', 'of one worker (rounds)', 'aim']
const measured = scenarios.filter(({ name }) => ['secret', 'roll'].includes(name))

async function run({ stores, plan: planOf, tell }: Context): Promise<Section> {
  const plan = planOf(usual)
  const home = await stores.newHome('postgres')
  const services = []
  for (const workers of counts) {
    const settings = { ...home.settings, ROLLKEY_WORKERS: String(workers) }
    services.push({ workers, service: await startService({ ...home, settings }) })
  }
  const rows: string[][] = []
  const aims: Aim[] = []
  const faults: string[] = []
  for (const scenario of measured) {
    const contenders: Record<string, Contender> = {}
    for (const { workers, service } of services) {
      contenders[workers] = { ...(await prepare(scenario, service)), target: service }
    }
    const results = await alternate(contenders, plan, (what) => tell(`${scenario.title}: ${what}`))
    const [one, two] = counts.map((workers) => results[workers])
    if (!one || !two) throw new Error('a number of workers was not measured')
    const ratios = ratiosOf(two, one, ({ serverCpuUs }) => serverCpuUs)
    const isMet = median(ratios) <= bound
    const figure = median(ratios).toFixed(2)
    aims.push({ what: `${scenario.title}: CPU of two workers, times one`, bound: `≤ ${bound}`, figure, isMet })
    for (const [result, ratio, aim] of [
      [one, '', ''],
      [two, spanText(ratios), `≤ ${bound} ${isMet ? '✓' : '✗'}`],
    ] as const) {
      const { perSecond, p50Ms, p99Ms, cpuUs } = mediansOf(result)
      const latency = `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`
      rows.push([scenario.title, result === one ? '1' : '2', whole(perSecond), latency, cpuUs.toFixed(1), ratio, aim])
    }
    faults.push(...faultsOf(scenario.title, one, two))
  }
  for (const { service } of services) await service.stop()
  return {
    title: 'Workers',
    how:
      `${whole(plan.rate ?? usual.rate)} requests a second on PostgreSQL, over ${plan.connections} connections, to one worker and to ` +
      'two in turn. All of them have one core, so this is what dividing the same work costs. CPU is that of all processes of the service.',
    headings,
    textColumns: 1,
    rows,
    aims,
    notes: [],
    faults,
  }
}

export const workers: Part = { name: 'workers', run }
