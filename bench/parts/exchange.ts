import { median, quantile } from '../figures.ts'
import { startIssuer, trustOf, type Issuer } from '../issuer.ts'
import { below, type Context, type Part, type Section } from '../part.ts'
import { cpuMsOf } from '../processor-time.ts'
import { storeTitles } from '../stores.ts'
import { startService, type Service } from '../target.ts'

const usual = { rounds: 500, seconds: 0, warmupSeconds: 0, connections: 1 }
const boundMs = 50
const warmUps = 100
const headings = ['store', 'exchange', 'median ms', '99 % below ms', 'longest ms', 'CPU ms', 'statements']

async function exchange({ url }: Service, trustId: string, token: string): Promise<number> {
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    audience: trustId,
  })
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', body })
  await response.text()
  return response.status
}

interface Measured {
  readonly times: readonly number[]
  /** Processor time of the service for an exchange, in milliseconds. */
  readonly cpuMs: number
  /** Statements that PostgreSQL counted for an exchange. */
  readonly statements: number
}

async function measure(service: Service, trustId: string, issuer: Issuer, rounds: number): Promise<Measured> {
  const times: number[] = []
  const [cpuBefore = Number.NaN, statementsBefore] = [cpuMsOf(service.pid), await service.home.statements()]
  for (let round = 0; round < rounds; round++) {
    const token = issuer.tokenOf()
    const from = performance.now()
    const status = await exchange(service, trustId, token)
    times.push(performance.now() - from)
    if (status !== 200) throw new Error(`an exchange was answered ${status} (expected 200): see the log of the service`)
  }
  const cpuMs = (cpuMsOf(service.pid) ?? Number.NaN) - cpuBefore
  const statements = (await service.home.statements()) - statementsBefore
  return { times, cpuMs: cpuMs / rounds, statements: statements / rounds }
}

async function run({ stores, storeNames, plan, tell }: Context): Promise<Section> {
  const { rounds } = plan(usual)
  const answering = await startIssuer(() => false)
  const hanging = await startIssuer(() => true)
  const rows: string[][] = []
  let slowest = 0
  for (const store of storeNames) {
    const home = await stores.newHome(store)
    const settings = { ...home.settings, ROLLKEY_TRUSTED_ISSUERS: `${answering.issuer},${hanging.issuer}` }
    const service = await startService({ ...home, settings })
    const [trust, stuck] = [await trustOf(service, answering), await trustOf(service, hanging)]
    await measure(service, trust, answering, warmUps)
    for (const [what, others] of [
      ['with warm keys', 0],
      ['beside 100 of an issuer that hangs', 100],
    ] as const) {
      tell(what)
      const waiting = Array.from({ length: others }, () => exchange(service, stuck, hanging.tokenOf()))
      const { times, cpuMs, statements } = await measure(service, trust, answering, rounds)
      await Promise.all(waiting)
      const p99 = quantile(times, 0.99)
      slowest = Math.max(slowest, p99)
      rows.push([
        storeTitles[store],
        what,
        ...[median(times), p99, Math.max(...times), cpuMs].map((figure) => figure.toFixed(1)),
        store === 'postgres' ? statements.toFixed(1) : '',
      ])
    }
    await service.stop()
  }
  for (const issuer of [answering, hanging]) issuer.close()
  return {
    title: 'Token exchange',
    how:
      `${rounds} tokens of one trust, one after the other, each signed with RS256 and exchanged on a connection that stays open. ` +
      'CPU is the time of the service, all its threads included. Statements include those that end and begin a transaction.',
    headings,
    textColumns: 2,
    rows,
    aims: [below('Exchange, 99 % below', slowest, boundMs, ' ms')],
    notes: [],
    faults: [],
  }
}

export const tokenExchange: Part = { name: 'exchange', run }
