import { setTimeout as sleep } from 'node:timers/promises'
import { median, quantile, whole } from '../figures.ts'
import { below, type Context, type Part, type Section } from '../part.ts'
import { storeTitles } from '../stores.ts'
import { call, startService, type Service } from '../target.ts'

const usual = { rounds: 20, seconds: 0, warmupSeconds: 0, connections: 1 }
const boundMs = 200
/** Pause between requests, since expensive reads take turns and rest after each. */
const pauseMs = 1_000
const projects = 50
const stagesOfProject = 20
const principals = 1_000
const grants = 10_000
const headings = ['store', 'request', 'first ms', 'median ms', '95 % below ms', 'bytes']
const role = ['viewer', 'reader', 'developer'] as const

const projectSlug = (index: number): string => `project-${index}`
const stageSlug = (index: number): string => `stage-${index}`
const principalOf = (index: number) => ({ kind: 'email', id: `person-${index}@bench.example` })

/** Calls `make` for each number below `count`, four at a time. */
async function each(count: number, make: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) await make(next++)
  }
  await Promise.all(Array.from({ length: 4 }, work))
}

async function fill(service: Service, tell: Context['tell']): Promise<void> {
  const stages = Array.from({ length: stagesOfProject }, (_, index) => ({ stageSlug: stageSlug(index) }))
  await each(projects, (index) => call(service, '/v1/projects/create', { projectSlug: projectSlug(index), stages }))
  await each(grants, async (index) => {
    if (index % 100 === 0) tell(`${index} of ${grants} grants`)
    const stage = (index * 7 + Math.floor(index / principals)) % (projects * stagesOfProject)
    await call(service, '/v1/access/grant', {
      principal: principalOf(index % principals),
      projectSlug: projectSlug(stage % projects),
      stageSlug: stageSlug(Math.floor(stage / projects)),
      role: role[index % role.length],
    })
  })
}

const place = { projectSlug: projectSlug(0), stageSlug: stageSlug(0) }
const requests: readonly (readonly [what: string, path: string, body: object])[] = [
  ['grants of a project, for its access page', '/v1/access/list', { projectSlug: place.projectSlug }],
  ['all grants', '/v1/access/list', {}],
  ['explanation of a person on a stage', '/v1/access/explain', { principal: principalOf(0), ...place }],
  ['who can read a stage', '/v1/access/holders', place],
]

async function run({ stores, storeNames, plan, tell }: Context): Promise<Section> {
  const { rounds } = plan(usual)
  const rows: string[][] = []
  let slowest = 0
  for (const store of storeNames) {
    const home = await stores.newHome(store)
    let service = await startService(home)
    await fill(service, tell)
    for (const [what, path, body] of requests) {
      // Another start, so that the first request reads everything from the store.
      await service.stop()
      service = await startService(home)
      const times: number[] = []
      let bytes = 0
      for (let round = 0; round <= rounds; round++) {
        tell(`${what}, ${round} of ${rounds}`)
        await sleep(pauseMs)
        const from = performance.now()
        bytes = JSON.stringify(await call<object>(service, path, body)).length
        times.push(performance.now() - from)
      }
      const [first = 0, ...later] = times
      slowest = Math.max(slowest, median(later))
      rows.push([
        storeTitles[store],
        what,
        whole(first),
        whole(median(later)),
        whole(quantile(later, 0.95)),
        whole(bytes),
      ])
    }
    await service.stop()
  }
  return {
    title: 'Access',
    how:
      `${whole(projects * stagesOfProject)} stages in ${projects} projects, ${whole(principals)} people with ${whole(grants)} grants on stages. ` +
      `One request a second, ${rounds} times; the first one after a start reads the rules from the store.`,
    headings,
    textColumns: 2,
    rows,
    aims: [below('Access page and explanation, median', slowest, boundMs, ' ms')],
    notes: [],
    faults: [],
  }
}

export const access: Part = { name: 'access', run }
