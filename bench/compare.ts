/** Measures the real service and the bare server in turn, and returns table rows. */
import {
  faultsOf,
  latencyText,
  median,
  mediansOf,
  percent,
  perSecondOf,
  ratiosOf,
  spanText,
  stolenFrom,
  wasIdle,
  whole,
} from './figures.ts'
import { aimText, atLeast, type Aim, type Context, type Section } from './part.ts'
import type { Answer, Scenario } from './scenarios.ts'
import { alternate, httpRequest, type Contender, type Measured, type Plan } from './spell.ts'
import { storeTitles, type StoreName } from './stores.ts'
import { call, countedOf, org, startBare, startFloor, startService, type Service, type Target } from './target.ts'

export interface Row {
  readonly store: StoreName
  readonly connections: number
  readonly title: string
  readonly bare: Measured
  readonly rollkey: Measured
  /** A server that does the least for the same promises, if the task wants one. */
  readonly floor?: Measured | undefined
  /** Database statements per request, or 0 without a database. */
  readonly statements: number
  /** Processor time of the database per request in microseconds, or 0 without a database. */
  readonly databaseCpuUs: number
  /** Minimum share of the bare server by processor time, if the row has an aim. */
  readonly bound?: number | undefined
}

export interface Task extends Pick<Row, 'bound'> {
  readonly scenario: Scenario
  readonly plan: Plan
  readonly floor?: Parameters<typeof startFloor>[0]
}

export const project = 'bench'

/** Stores the variables and sends one request. Throws if the answer is wrong. */
export async function prepare(
  scenario: Scenario,
  service: Service,
): Promise<{ requests: Buffer[]; bodyBytes: number | undefined }> {
  const stage = { projectSlug: project, stageSlug: scenario.name }
  await call(service, '/v1/env/write', { ...stage, mode: 'upsert', entries: scenario.entries })
  const answer = await call<Answer>(service, scenario.path, { ...stage, ...scenario.bodies[0] })
  if (!scenario.isRight(answer))
    throw new Error(`the answer to "${scenario.title}" does not contain the written values`)
  const requests = scenario.bodies.map((body) =>
    httpRequest('POST', scenario.path, `Bearer ${service.token}`, JSON.stringify({ orgSlug: org, ...stage, ...body })),
  )
  return { requests, bodyBytes: scenario.writes ? undefined : Buffer.byteLength(JSON.stringify(answer)) }
}

/** Measures the servers and stops all but the service. */
export async function compare(
  title: string,
  { service, bare, floor }: { readonly service: Service; readonly bare: Target; readonly floor?: Target | undefined },
  contender: Omit<Contender, 'target'>,
  plan: Plan,
  tell: (what: string) => void,
): Promise<Row> {
  const { store, statements, databaseCpuMs } = service.home
  const { connections } = plan
  const before = await statements()
  const cpuBeforeMs = databaseCpuMs()
  const contenders: Record<'bare' | 'rollkey', Contender> & { floor?: Contender } = {
    bare: { ...contender, target: bare },
    ...(floor && { floor: { ...contender, bodyBytes: undefined, target: floor } }),
    rollkey: { ...contender, target: service },
  }
  const measured = await alternate(contenders as Required<typeof contenders>, plan, (what) =>
    tell(`${storeTitles[store]}, ${connections}, ${title}: ${what}`),
  )
  const databaseMs = databaseCpuMs() - cpuBeforeMs
  await Promise.all([bare.stop(), floor?.stop()])
  return {
    store,
    connections,
    title,
    ...measured,
    statements: ((await statements()) - before) / measured.rollkey.answered,
    databaseCpuUs: (databaseMs * 1_000) / measured.rollkey.answered,
  }
}

/** Measures scenarios on one service per store. Reports a fault unless each answered evaluation was counted once. */
export async function compareOnStores(
  { stores, storeNames, serializes, tell }: Context,
  tasksOf: (store: StoreName) => readonly Task[],
): Promise<{ rows: Row[]; faults: string[] }> {
  const rows: Row[] = []
  const faults: string[] = []
  for (const store of storeNames) {
    const answered = new Map<string, number>()
    const service = await startService(await stores.newHome(store))
    for (const { scenario, plan, bound, floor } of tasksOf(store).filter((task) => !task.scenario.writes)) {
      const prepared = await prepare(scenario, service)
      const servers = {
        service,
        bare: await startBare(prepared.bodyBytes ?? 0, { serializes }),
        floor: floor && (await startFloor(floor)),
      }
      const row = await compare(scenario.title, servers, prepared, plan, tell)
      rows.push({ ...row, bound })
      answered.set(scenario.name, (answered.get(scenario.name) ?? 0) + 1 + row.rollkey.answered)
    }
    const counted = await countedOf(service.home)
    for (const [stage, count] of answered) {
      const found = counted.get(stage) ?? 0
      if (found !== count) faults.push(`${stage}: answered ${count} evaluations but counted ${found}`)
    }
    await service.stop()
  }
  return { rows, faults }
}

function nameOf({ store, connections, title }: Row): string {
  return `${title}, ${storeTitles[store]}, ${connections} connection${connections === 1 ? '' : 's'}`
}

/** Returns how much processor time the bare server takes for a request, as a share of what Rollkey takes. */
export function cpuShareOf({ rollkey, bare }: Row): number {
  return median(ratiosOf(bare, rollkey, ({ serverCpuUs }) => serverCpuUs))
}

function aimOf(row: Row): Aim | undefined {
  return row.bound === undefined ? undefined : atLeast(`${nameOf(row)}: CPU of bare`, cpuShareOf(row), row.bound)
}

const headings = [
  'store',
  'connections',
  'request',
  'bare req/s',
  'Rollkey req/s',
  'ratio (rounds)',
  'bare p50 / p99 ms',
  'Rollkey p50 / p99 ms',
  'bare CPU µs',
  'Rollkey CPU µs',
  'CPU ratio',
  'aim',
  'statements a request',
  'database CPU µs',
]

function cellsOf(row: Row): string[] {
  const [bare, rollkey] = [mediansOf(row.bare), mediansOf(row.rollkey)]
  return [
    storeTitles[row.store],
    String(row.connections),
    row.title,
    whole(bare.perSecond),
    whole(rollkey.perSecond),
    spanText(ratiosOf(row.rollkey, row.bare, perSecondOf)),
    latencyText(bare),
    latencyText(rollkey),
    bare.cpuUs.toFixed(1),
    rollkey.cpuUs.toFixed(1),
    cpuShareOf(row).toFixed(2),
    aimText(aimOf(row)),
    row.store === 'postgres' ? row.statements.toFixed(3) : '',
    row.store === 'postgres' ? row.databaseCpuUs.toFixed(1) : '',
  ]
}

/** Returns notes about rows whose figures are less reliable than they look. */
function doubtsOf(rows: readonly Row[]): string[] {
  // With a single connection every server is idle while the load works.
  const idle = rows.filter(({ connections, bare, rollkey }) => connections > 1 && [bare, rollkey].some(wasIdle))
  const stolen = stolenFrom(rows.flatMap(({ bare, rollkey }) => [bare, rollkey]))
  return [
    ...(idle.length > 0
      ? [
          `A server used its core for less than 90 % of the time, so CPU µs is more meaningful: ${idle.map(nameOf).join('; ')}.`,
        ]
      : []),
    ...(stolen >= 0.05 ? [`The host took away ${percent(stolen)} of this machine.`] : []),
  ]
}

/** Returns the table of rows whose servers had as much load as they can take. */
export function tableOf(
  rows: readonly Row[],
): Pick<Section, 'headings' | 'textColumns' | 'rows' | 'aims'> & { doubts: string[]; faults: string[] } {
  return {
    headings,
    textColumns: 3,
    rows: rows.map(cellsOf),
    aims: rows.flatMap((row) => aimOf(row) ?? []),
    doubts: doubtsOf(rows),
    faults: rows.flatMap((row) => faultsOf(nameOf(row), row.bare, row.rollkey)),
  }
}
