import { prepare } from '../compare.ts'
import { faultsOf, mediansOf, ratiosOf, spanText, whole } from '../figures.ts'
import type { Context, Part, Section } from '../part.ts'
import { scenarios } from '../scenarios.ts'
import { alternate, type Contender, type Measured } from '../spell.ts'
import { floorSteps, startBare, startFloor, startService, type Service } from '../target.ts'

const usual = { rounds: 9, seconds: 1, warmupSeconds: 3, connections: 64 }
const loads = [
  { scenario: 'secrets', connections: usual.connections },
  { scenario: 'pull', connections: 1 },
  { scenario: 'pull-rolls', connections: usual.connections },
] as const
const headings = ['connections', 'request', 'server', 'req/s', 'CPU µs', 'bare: of it (rounds)']

interface Load {
  readonly title: string
  readonly connections: number
  /** By the name of the server; the bare one is the first. */
  readonly results: Readonly<Record<string, Measured>>
}

async function measure(
  { scenario: name, connections }: (typeof loads)[number],
  service: Service,
  { plan, tell }: Pick<Context, 'plan' | 'tell'>,
): Promise<Load> {
  const scenario = scenarios.find((each) => each.name === name)
  if (!scenario) throw new Error(`no scenario ${name}`)
  const prepared = await prepare(scenario, service)
  const bare = await startBare(prepared.bodyBytes ?? 0)
  const servers: Record<string, Contender> = { bare: { ...prepared, target: bare } }
  for (const [step, title] of Object.entries(floorSteps)) {
    const target = await startFloor(step as keyof typeof floorSteps)
    servers[title] = { ...prepared, bodyBytes: undefined, target }
  }
  const others = Object.values(servers).map(({ target }) => target)
  servers['Rollkey'] = { ...prepared, target: service }
  const results = await alternate(servers, { ...plan(usual), connections }, (what) =>
    tell(`${scenario.title}: ${what}`),
  )
  for (const target of others) await target.stop()
  return { title: scenario.title, connections, results }
}

function rowsOf({ title, connections, results }: Load): string[][] {
  const [bare] = Object.values(results)
  return Object.entries(results).map(([server, result]) => {
    const { perSecond, cpuUs } = mediansOf(result)
    const ratios = bare === undefined || result === bare ? [] : ratiosOf(bare, result, ({ serverCpuUs }) => serverCpuUs)
    const share = ratios.length === 0 ? '' : spanText(ratios)
    return [String(connections), title, server, whole(perSecond), cpuUs.toFixed(1), share]
  })
}

function faultsOfLoad({ results }: Load): string[] {
  const [bare] = Object.values(results)
  if (!bare) return []
  return Object.entries(results).flatMap(([server, result]) => faultsOf(server, bare, result))
}

async function run({ stores, plan, tell }: Context): Promise<Section> {
  const service = await startService(await stores.newHome('embedded'))
  const measured: Load[] = []
  for (const load of loads) measured.push(await measure(load, service, { plan, tell }))
  await service.stop()
  const { rounds, seconds } = plan(usual)
  return {
    title: 'What the promises cost',
    how:
      `${rounds} rounds of ${seconds} s for each server. The servers between bare and Rollkey do only what the promises need on ` +
      '`node:http` ([floor.ts](floor.ts)), each what those before it do. So the last of them is what Rollkey could reach without its ' +
      'checks, limits, metrics and errors.',
    headings,
    textColumns: 3,
    rows: measured.flatMap(rowsOf),
    aims: [],
    notes: [],
    faults: measured.flatMap(faultsOfLoad),
  }
}

export const floor: Part = { name: 'floor', run }
