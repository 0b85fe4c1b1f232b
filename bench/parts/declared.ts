import { setTimeout as sleep } from 'node:timers/promises'
import { maxRestMs } from '../../packages/server/src/concurrency/fair-queue.ts'
import { restFactor } from '../../packages/server/src/concurrency/time-slices.ts'
import { median, spanText } from '../figures.ts'
import { atLeast, below, type Context, type Part, type Section } from '../part.ts'
import { cpuMsOf } from '../processor-time.ts'
import { storeTitles } from '../stores.ts'
import { call, startService, type Service } from '../target.ts'

const usual = { rounds: 40, seconds: 0, warmupSeconds: 0, connections: 1 }
const count = 1_000
const templates = 100
const stage = (projectSlug: string) => ({ projectSlug, stageSlug: 'prod' })

function secrets(length: number, valueOf: (at: number) => string, prefix = 'VARIABLE'): object[] {
  return Array.from({ length }, (_, at) => ({ name: `${prefix}_${at}`, kind: 'secret', value: valueOf(at) }))
}

const declarations = Array.from({ length: count }, (_, at) => ({
  name: `VARIABLE_${at}`,
  description: `What variable ${at} is for`,
  constraint: { pattern: '^[a-z]+ [0-9]+$', maxLength: 200 },
  rotateEveryDays: 90,
}))

/** The properties of a JSON Schema of 0.9 MB. `tag` makes them other ones. */
function documentOf(tag: number): object {
  const property = (at: number): object => ({
    type: 'string',
    description: `What variable ${at} is for, at ${tag}`,
    pattern: `^[a-z]+${at}$`,
    minLength: 2,
    examples: [`value${at}`],
    'x-rollkey': { owner: 'Payments' },
  })
  return { properties: Object.fromEntries(Array.from({ length: 4_800 }, (_, at) => [`DECLARED_${at}`, property(at)])) }
}

/** What is measured in turn: a request as its project and its number make it. */
interface Request {
  readonly title: string
  readonly project: string
  readonly where: string
  readonly bodyOf: (at: number) => object
}

const reads = ['plain', 'templates', 'declared'].flatMap((project): Request[] => [
  { title: 'pull of 1,000', project, where: '/v1/env/pull', bodyOf: () => ({}) },
  { title: 'digests of 1,000', project, where: '/v1/env/digests', bodyOf: () => ({}) },
])

function changeOf(name: string): Request['bodyOf'] {
  return (at) => ({ mode: 'upsert', entries: [{ name, kind: 'secret', value: `value ${1_000 + at}` }] })
}

const requests: readonly Request[] = [
  ...reads,
  { title: 'attention', project: 'declared', where: '/v1/organization/attention', bodyOf: () => ({}) },
  ...['written', 'written-declared'].map((project) => ({
    title: 'write of one',
    project,
    where: '/v1/env/write',
    bodyOf: changeOf('VARIABLE_0'),
  })),
  {
    title: 'write of a source with 1,000 dependents',
    project: 'dependents',
    where: '/v1/env/write',
    bodyOf: changeOf('SOURCE'),
  },
  {
    title: 'replace 0.9 MB of declarations',
    project: 'large',
    where: '/v1/declarations/replace',
    bodyOf: (at) => ({ document: documentOf(at) }),
  },
]

async function fill(service: Service): Promise<void> {
  const write = (project: string, entries: object[]): Promise<unknown> =>
    call(service, '/v1/env/write', { ...stage(project), mode: 'upsert', entries })
  for (const project of ['plain', 'declared', 'written', 'written-declared', 'large'])
    await write(
      project,
      secrets(count, (at) => `value ${1_000 + at}`),
    )
  await write('templates', [
    ...secrets(count - templates, (at) => `value ${1_000 + at}`),
    ...secrets(templates, (at) => `\${VARIABLE_${at}}`, 'OF').map((entry) => ({ ...entry, template: true })),
  ])
  await write('dependents', [{ name: 'SOURCE', kind: 'secret', value: 'value' }])
  const dependents = secrets(count - 1, (at) => `${at} \${SOURCE}`).map((entry) => ({ ...entry, template: true }))
  await write('dependents', dependents)
  for (const projectSlug of ['declared', 'written-declared'])
    await call(service, '/v1/declarations/set', { projectSlug, declarations })
}

interface Figures {
  readonly ms: number[]
  /** Processor time of the service in all rounds. */
  cpuMs: number
}

async function measure(service: Service, rounds: number): Promise<Map<Request, Figures>> {
  const figures = new Map(requests.map((request): [Request, Figures] => [request, { ms: [], cpuMs: 0 }]))
  const cpuMs = (): number => cpuMsOf(service.pid) ?? Number.NaN
  for (let round = 0; round <= rounds; round++) {
    for (const [request, of] of figures) {
      const body = { ...stage(request.project), ...request.bodyOf(round) }
      const [beganAt, usedMs] = [performance.now(), cpuMs()]
      await call(service, request.where, body)
      const tookMs = performance.now() - beganAt
      // The first round fills the caches of the service.
      if (round > 0) {
        of.ms.push(tookMs)
        of.cpuMs += cpuMs() - usedMs
      }
      // The node rests after heavy work, and the next request may wait for that.
      await sleep(Math.min(maxRestMs, restFactor * tookMs))
    }
  }
  return figures
}

async function run({ stores, storeNames, plan, tell }: Context): Promise<Section> {
  const { rounds } = plan(usual)
  const rows: string[][] = []
  const aims: Section['aims'][number][] = []
  for (const store of storeNames) {
    tell(storeTitles[store])
    const service = await startService(await stores.newHome(store))
    await fill(service)
    const figures = [...(await measure(service, rounds))]
    await service.stop()
    const found = (title: string, project: string): Figures | undefined =>
      figures.find(([each]) => each.title === title && each.project === project)?.[1]
    const medianOf = (title: string, project: string): number => median(found(title, project)?.ms ?? [])
    for (const [{ title, project }, { ms, cpuMs }] of figures)
      rows.push([title, project, storeTitles[store], spanText(ms), (cpuMs / rounds).toFixed(1)])
    const pull = medianOf('pull of 1,000', 'plain') / medianOf('pull of 1,000', 'templates')
    const digests = medianOf('digests of 1,000', 'plain') / medianOf('digests of 1,000', 'declared')
    const replacedMs = (found('replace 0.9 MB of declarations', 'large')?.cpuMs ?? Number.NaN) / rounds
    aims.push(
      atLeast(`pull with ${templates} templates, ${storeTitles[store]}: times without`, pull, 0.98),
      atLeast(`table with 1,000 declared names, ${storeTitles[store]}: times without`, digests, 0.98),
      below(`0.9 MB of declarations accepted, ${storeTitles[store]}: processor time`, replacedMs, 100, ' ms'),
    )
  }
  return {
    title: 'Declarations and templates',
    how:
      `One request after the other, each ${rounds} times in turn and after the rest of the node, from the request to its answer, and the mean processor time of the service, which the system counts in steps of 10 ms. The projects have 1,000 variables: ` +
      `\`plain\` and \`written\` nothing else, \`templates\` ${templates} templates among them, \`declared\` and \`written-declared\` a declaration of each, and \`dependents\` 999 templates of one source.`,
    headings: ['request', 'project', 'store', 'ms', 'processor ms'],
    textColumns: 3,
    rows,
    aims,
    notes: [],
    faults: [],
  }
}

export const declared: Part = { name: 'declared', run }
