import { mediansOf, faultsOf, median, ratiosOf, spanText, whole } from '../figures.ts'
import { project } from '../compare.ts'
import type { Context, Part, Section } from '../part.ts'
import { scenarios } from '../scenarios.ts'
import { alternate, httpRequest, type Contender } from '../spell.ts'
import { storeTitles, type StoreName } from '../stores.ts'
import { call, org, startService, type Service } from '../target.ts'

const usual = { rounds: 9, seconds: 1, warmupSeconds: 2, connections: 64 }
const headings = ['store', 'evaluation of a secret, all the same one', 'req/s', 'CPU µs', 'of the first (rounds)']
const grants = 1_000
const stage = { projectSlug: project, stageSlug: 'callers' }
/** Stands for a request key, which each request has for itself. */
const mark = '0'.repeat(20)
const [scenario] = scenarios

async function prepared(service: Service): Promise<void> {
  await call(service, '/v1/env/write', { ...stage, mode: 'upsert', entries: scenario?.entries })
}

/** Returns the evaluation as a contender. Throws if the service refuses it. */
async function contenderOf(target: Service, token: string, headers: readonly string[] = []): Promise<Contender> {
  const body = { ...stage, ...scenario?.bodies[0] }
  const answer = await call<object>({ url: target.url, token }, '/v1/env/evaluate', body)
  const text = JSON.stringify({ orgSlug: org, ...body })
  return {
    target,
    requests: [httpRequest('POST', '/v1/env/evaluate', `Bearer ${token}`, text, headers)],
    bodyBytes: Buffer.byteLength(JSON.stringify(answer)),
    ...(headers.length > 0 && { mark }),
  }
}

async function newToken(service: Service): Promise<{ id: string; token: string }> {
  return call(service, '/v1/tokens/create', { name: 'bench', role: 'reader' })
}

/** Grants roles on the measured stage to people and to the token. */
async function grantAll(service: Service, tokenId: string, tell: Context['tell']): Promise<void> {
  const grant = (kind: string, id: string, role: string) =>
    call(service, '/v1/access/grant', { principal: { kind, id }, ...stage, role })
  await grant('token', tokenId, 'reader')
  for (let person = 1; person < grants; person++) {
    if (person % 100 === 0) tell(`${person} of ${grants} grants`)
    await grant('email', `person-${person}@bench.example`, 'developer')
  }
}

async function servicesOf({ stores, tell }: Context, store: StoreName) {
  const [home, limited] = [await stores.newHome(store), await stores.newHome(store)]
  const settings = { ...limited.settings, ROLLKEY_RATE_LIMIT_EVALUATIONS: '1000000000' }
  const [service, withLimit, withRules] = [
    await startService(home),
    await startService({ ...limited, settings }),
    await startService(await stores.newHome(store)),
  ]
  for (const each of [service, withLimit, withRules]) await prepared(each)
  const granted = await newToken(withRules)
  await grantAll(withRules, granted.id, tell)
  const contenders = {
    'a person': await contenderOf(service, service.token),
    'a person, with a request key': await contenderOf(service, service.token, [`x-service-request-key: ${mark}`]),
    'a service token': await contenderOf(service, (await newToken(service)).token),
    [`a service token with a grant, of ${whole(grants)}`]: await contenderOf(withRules, granted.token),
    'a person, with a rate limit of evaluations': await contenderOf(withLimit, withLimit.token),
  }
  return { contenders, stop: () => Promise.all([service, withLimit, withRules].map((each) => each.stop())) }
}

async function run(context: Context): Promise<Section> {
  const plan = context.plan(usual)
  const rows: string[][] = []
  const faults: string[] = []
  for (const store of context.storeNames) {
    const { contenders, stop } = await servicesOf(context, store)
    const measured = await alternate<string>(contenders, plan, context.tell)
    await stop()
    const base = measured['a person'] as (typeof measured)[string]
    for (const [name, each] of Object.entries(measured)) {
      const ratios = ratiosOf(each, base, ({ serverCpuUs }) => serverCpuUs)
      const { perSecond, cpuUs } = mediansOf(each)
      rows.push([
        storeTitles[store],
        name,
        whole(perSecond),
        cpuUs.toFixed(1),
        each === base || Number.isNaN(median(ratios)) ? '' : spanText(ratios),
      ])
      faults.push(...faultsOf(`${name}, ${storeTitles[store]}`, each))
    }
  }
  return {
    title: 'Callers',
    how:
      `${plan.connections} connections evaluate one secret, as different callers in turn, in ${plan.rounds} rounds. Each request key is new. ` +
      'CPU is the time of the service for a request, and a ratio is the median of the rounds.',
    headings,
    textColumns: 2,
    rows,
    aims: [],
    notes: [],
    faults,
  }
}

export const callers: Part = { name: 'callers', run }
