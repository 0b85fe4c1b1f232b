import { prepare } from '../compare.ts'
import { faultsOf, mediansOf, ratiosOf, spanText, whole } from '../figures.ts'
import type { Context, Part, Section } from '../part.ts'
import { scenarios } from '../scenarios.ts'
import { alternate, type Contender } from '../spell.ts'
import { floorSteps, startBare, startFloor, startService } from '../target.ts'

const usual = { rounds: 9, seconds: 1, warmupSeconds: 3, connections: 64 }
const headings = ['server', 'req/s', 'CPU µs', 'bare: of it (rounds)']
const measured = scenarios.filter(({ name }) => ['secret', 'secrets'].includes(name))

async function run({ stores, plan: planOf, tell }: Context): Promise<Section> {
  const plan = planOf(usual)
  const service = await startService(await stores.newHome('embedded'))
  const contenders: Record<string, Contender> = {}
  for (const scenario of measured) {
    contenders[`Rollkey: ${scenario.title}`] = { ...(await prepare(scenario, service)), target: service }
  }
  const all = Object.values(contenders)
  const inTurn = all.at(-1)
  if (!inTurn) throw new Error('no scenario was prepared')
  const targets = [await startBare(inTurn.bodyBytes ?? 0)]
  const servers: Record<string, Contender> = { bare: { ...inTurn, target: targets[0] ?? service } }
  for (const [step, title] of Object.entries(floorSteps)) {
    const target = await startFloor(step)
    targets.push(target)
    servers[title] = { ...inTurn, bodyBytes: undefined, target }
  }
  const results = await alternate({ ...servers, ...contenders }, plan, tell)
  for (const target of [...targets, service]) await target.stop()
  const { bare } = results
  if (!bare) throw new Error('the bare server was not measured')
  return {
    title: 'What the promises cost',
    how:
      `${plan.connections} connections evaluate secrets, in ${plan.rounds} rounds of ${plan.seconds} s for each server. The servers between ` +
      'bare and Rollkey do only what the promises need on `node:http` (`bench/floor.ts`), each what those before it do. So the last of them ' +
      'is what Rollkey could reach without its checks, limits, metrics and errors.',
    headings,
    textColumns: 1,
    rows: Object.entries(results).map(([title, result]) => {
      const { perSecond, cpuUs } = mediansOf(result)
      const ratios = ratiosOf(bare, result, ({ serverCpuUs }) => serverCpuUs)
      return [title, whole(perSecond), cpuUs.toFixed(1), result === bare ? '' : spanText(ratios)]
    }),
    aims: [],
    notes: [],
    faults: Object.entries(results).flatMap(([title, result]) => faultsOf(title, bare, result)),
  }
}

export const floor: Part = { name: 'floor', run }
