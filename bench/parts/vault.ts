import { faultsOf, mediansOf, median, perSecondOf, quantile, ratiosOf, spanText, whole } from '../figures.ts'
import { startIssuer, trustOf } from '../issuer.ts'
import { loadOverNewConnections, type Sent } from '../new-connections.ts'
import { atLeast, atMost, type Aim, type Context, type Part, type Section } from '../part.ts'
import { alternate, httpRequest, type Contender } from '../spell.ts'
import { storeTitles, type StoreName } from '../stores.ts'
import { call, org, startService, type Service } from '../target.ts'

const usual = { rounds: 9, seconds: 1, warmupSeconds: 2, connections: 64 }
const logins = { connections: 16, rate: 200 }
/** What OpenBao measures itself with, and the 99th percentiles that it publishes, in milliseconds. */
const published = { rate: 500, seconds: 20, readMs: 36.9, writeMs: 239 }
const bounds = { read: 0.9, loginsPerSecond: 200, loginMs: 50 }
const headings = ['store', 'request', 'req/s', 'CPU µs', 'p99 ms', 'of pull (rounds)']
const stage = { projectSlug: 'shop', stageSlug: 'prod' }
const variables = 100

async function fill(service: Service): Promise<void> {
  const entries = Array.from({ length: variables }, (_, index) => ({
    name: `SECRET_${index}`,
    kind: 'secret',
    value: `value ${index} `.padEnd(64, '='),
  }))
  await call(service, '/v1/env/write', { ...stage, mode: 'upsert', entries })
}

/** Returns a request as a contender. Throws if the service refuses it. */
async function contenderOf(
  target: Service,
  {
    method,
    path,
    body = '',
    headers,
  }: { method: string; path: string; body?: string; headers: Record<string, string> },
): Promise<Contender> {
  const answer = await fetch(`${target.url}${path}`, { method, headers, ...(body !== '' && { body }) })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status} (expected 200): ${text}`)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return {
    target,
    requests: [httpRequest(method, path, undefined, body, lines)],
    bodyBytes: Buffer.byteLength(text),
  }
}

/** Returns nine reads of a variable and then a write of one. */
function readOrWrite(number: number, reader: string, writer: string): Sent {
  const path = `/vault/v1/shop/data/prod/SECRET_${number % variables}`
  if (number % 10 > 0) return { kind: 'read', method: 'GET', path, headers: { 'x-vault-token': reader } }
  const body = JSON.stringify({ data: { value: `value ${number} `.padEnd(64, '=') } })
  return { kind: 'write', method: 'POST', path, headers: { 'x-vault-token': writer }, body }
}

async function measureStore({ stores, plan, tell }: Context, store: StoreName) {
  const issuer = await startIssuer()
  const home = await stores.newHome(store)
  const service = await startService({
    ...home,
    settings: { ...home.settings, ROLLKEY_TRUSTED_ISSUERS: issuer.issuer },
  })
  await fill(service)
  const { token } = await call<{ token: string }>(service, '/v1/tokens/create', { name: 'bench', role: 'reader' })
  const loginBody = JSON.stringify({ role: await trustOf(service, issuer), jwt: issuer.tokenOf(86_000) })
  const login = await contenderOf(service, {
    method: 'PUT',
    path: '/vault/v1/auth/jwt/login',
    body: loginBody,
    headers: {},
  })
  const reads = {
    pull: await contenderOf(service, {
      method: 'POST',
      path: '/v1/env/pull',
      body: JSON.stringify({ orgSlug: org, ...stage }),
      headers: { authorization: `Bearer ${token}` },
    }),
    vault: await contenderOf(service, {
      method: 'GET',
      path: '/vault/v1/shop/data/prod',
      headers: { 'x-vault-token': token },
    }),
  }
  const writer = await call<{ token: string }>(service, '/v1/tokens/create', { name: 'writer', role: 'developer' })
  const { connections, rate } = logins
  const measured = {
    ...(await alternate(reads, plan(usual), tell)),
    ...(await alternate({ logins: login }, { ...plan(usual), connections }, tell)),
    paced: (await alternate({ logins: login }, { ...plan(usual), connections, rate }, tell)).logins,
    opened: await loadOverNewConnections(service.url, (number) => readOrWrite(number, token, writer.token), published),
  }
  await service.stop()
  issuer.close()
  return measured
}

type OfStore = Awaited<ReturnType<typeof measureStore>>

const titles: Readonly<Record<Exclude<keyof OfStore, 'opened'>, string>> = {
  pull: `pull of ${variables} variables`,
  vault: 'the same by the Vault protocol',
  logins: 'a login by it',
  paced: `a login, ${logins.rate} a second`,
}

function rowsOf(store: StoreName, measured: OfStore): string[][] {
  const rows = Object.entries(titles).map(([name, title]) => {
    const figures = measured[name as keyof typeof titles]
    const { perSecond, cpuUs, p99Ms } = mediansOf(figures)
    const ratio = name === 'vault' ? spanText(ratiosOf(figures, measured.pull, perSecondOf)) : ''
    return [storeTitles[store], title, whole(perSecond), cpuUs.toFixed(1), p99Ms.toFixed(1), ratio]
  })
  const { latencies } = measured.opened
  const opened = [...latencies].map(([kind, ofKind]) => [
    storeTitles[store],
    `a ${kind} of one variable, a new connection each`,
    whole(ofKind.length / published.seconds),
    '',
    quantile(ofKind, 0.99).toFixed(1),
    '',
  ])
  return [...rows, ...opened]
}

function aimsOf(store: StoreName, { pull, vault: read, logins: login, paced, opened }: OfStore): Aim[] {
  const of = (what: string): string => `${what}, ${storeTitles[store]}`
  const openedMs = (kind: string): number => quantile(opened.latencies.get(kind) ?? [], 0.99)
  return [
    atLeast(of('read of a stage: times the rate of pull'), median(ratiosOf(read, pull, perSecondOf)), bounds.read),
    atLeast(of('logins a second'), mediansOf(login).perSecond, bounds.loginsPerSecond),
    atMost(of(`login at ${logins.rate} a second, p99`), mediansOf(paced).p99Ms, bounds.loginMs, ' ms'),
    atMost(of('read over a new connection, p99'), openedMs('read'), published.readMs, ' ms'),
    atMost(of('write over a new connection, p99'), openedMs('write'), published.writeMs, ' ms'),
  ]
}

async function run(context: Context): Promise<Section> {
  const { rounds, connections } = context.plan(usual)
  const rows: string[][] = []
  const aims: Aim[] = []
  const faults: string[] = []
  for (const store of context.storeNames) {
    const measured = await measureStore(context, store)
    rows.push(...rowsOf(store, measured))
    aims.push(...aimsOf(store, measured))
    const { opened, ...others } = measured
    for (const [name, figures] of Object.entries(others))
      faults.push(...faultsOf(`${name}, ${storeTitles[store]}`, figures))
    if (opened.failed > 0) faults.push(`${opened.failed} over new connections failed, ${storeTitles[store]}`)
  }
  return {
    title: 'The Vault protocol',
    how:
      `${connections} connections read a stage of ${variables} secrets, in turn by both ways, in ${rounds} rounds. ` +
      `${logins.connections} connections log in with one token of a platform, as fast as they can and ${logins.rate} times a second. ` +
      `Then ${published.rate} requests a second arrive over a new connection each, of which nine in ten read and one writes. ` +
      'CPU is the time of the service for a request, and a ratio is the median of the rounds.',
    headings,
    textColumns: 2,
    rows,
    aims,
    notes: [],
    faults,
  }
}

export const vault: Part = { name: 'vault', run }
