import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { whole } from '../figures.ts'
import type { Context, Part, Section } from '../part.ts'
import { collectOnSignal, megabytes, residentBytesOf } from '../resident-memory.ts'
import { entriesOf } from '../scenarios.ts'
import { httpRequest, load, type Plan } from '../spell.ts'
import type { Home } from '../stores.ts'
import { call, org, startService, type Service } from '../target.ts'

interface Company {
  readonly title: string
  readonly people: number
  readonly projects: number
  readonly stagesPerProject: number
  readonly variablesPerStage: number
}

const companies: readonly Company[] = [
  { title: 'small', people: 20, projects: 5, stagesPerProject: 2, variablesPerStage: 50 },
  { title: 'medium', people: 200, projects: 25, stagesPerProject: 4, variablesPerStage: 100 },
  { title: 'large', people: 1_000, projects: 250, stagesPerProject: 4, variablesPerStage: 100 },
]
const usual: Plan = { rounds: 1, seconds: 5, warmupSeconds: 3, connections: 16 }
const headings = [
  'company',
  'people',
  'stages',
  'variables',
  'disk MB',
  'of it people',
  'memory MB',
  'of it empty',
  'writes/s',
  'p99 ms',
  'evaluations/s',
  'p99 ms',
]
/** Stages that are written and evaluated at the same time. */
const maxBusyStages = 256
const passwordCharacters = 161

interface Stage {
  readonly projectSlug: string
  readonly stageSlug: string
}

function stagesOf({ projects, stagesPerProject }: Company): Stage[] {
  return Array.from({ length: projects * stagesPerProject }, (_, index) => ({
    projectSlug: `project-${Math.floor(index / stagesPerProject)}`,
    stageSlug: `stage-${index % stagesPerProject}`,
  }))
}

function tokenOf(person: number): string {
  return `svc_at_${String(person).padStart(43, '0')}`
}

/** Adds people with a password, who are members and signed in with the command line, to the store of a stopped service. */
function addPeople({ folder }: Home, count: number): void {
  const [identity, store] = ['identity.db', 'rollkey.db'].map((name) => new DatabaseSync(path.join(folder, name)))
  if (!identity || !store) return
  const { id: idpOrgId } = identity.prepare('select id from organization').get() as { id: string }
  const { id: orgId } = store.prepare('select id from organizations').get() as { id: string }
  const now = Date.now()
  const at = new Date(now).toISOString()
  for (const db of [identity, store]) db.exec('begin')
  const user = identity.prepare(`insert into user (id, name, email, "emailVerified", "createdAt", "updatedAt")
    values (?1, ?1, ?1 || '@bench.example', 1, ?2, ?2)`)
  const account =
    identity.prepare(`insert into account (id, "accountId", "providerId", "userId", password, "createdAt", "updatedAt")
    values (?1, ?1, 'credential', ?1, ?3, ?2, ?2)`)
  const member = identity.prepare(`insert into member (id, "organizationId", "userId", role, "createdAt")
    values (?1, ?3, ?1, 'admin', ?2)`)
  const session =
    store.prepare(`insert into sessions (id, org_id, user_id, client_name, created_at_ms, last_used_at_ms, member_seen_at_ms)
    values (?1, ?2, ?1, 'bench', ?3, ?3, ?3)`)
  const token = store.prepare('insert into access_tokens (hash, session_id, expires_at_ms) values (?, ?, ?)')
  for (let person = 0; person < count; person++) {
    const id = `person-${person}`.padEnd(32, 'x')
    user.run(id, at)
    account.run(id, at, 'x'.repeat(passwordCharacters))
    member.run(id, at, idpOrgId)
    session.run(id, orgId, now)
    token.run(createHash('sha256').update(tokenOf(person)).digest('base64url'), id, now + 3_600_000)
  }
  for (const db of [identity, store]) {
    db.exec('commit')
    db.close()
  }
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder).filter((name) => /^(?:rollkey|identity)\.db/.test(name))
  return files.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0)
}

/** Sends a request for each stage and person in turn, at most as fast as the service answers. */
function loadOf(
  service: Service,
  { people }: Company,
  stages: readonly Stage[],
  where: string,
  body: object,
  plan: Plan,
) {
  const requests = stages.map((stage, index) => {
    const text = JSON.stringify({ orgSlug: org, ...stage, ...body })
    return httpRequest('POST', where, `Bearer ${tokenOf(index % people)}`, text)
  })
  const { seconds, warmupSeconds: leadSeconds, connections } = plan
  return load({ target: service, requests, bodyBytes: undefined }, { seconds, leadSeconds, connections })
}

/** Brings each stage and each person into memory. */
async function useAll(service: Service, { people }: Company, stages: readonly Stage[], body: object): Promise<void> {
  for (let index = 0; index < Math.max(people, stages.length); index++) {
    const caller = { url: service.url, token: tokenOf(index % people) }
    await call(caller, '/v1/env/evaluate', { ...stages[index % stages.length], ...body })
  }
}

async function measure(
  company: Company,
  { stores, plan, tell }: Context,
): Promise<{ row: string[]; faults: string[] }> {
  const { title, people, variablesPerStage } = company
  const stages = stagesOf(company)
  const entries = entriesOf(variablesPerStage, 0)
  const home = await stores.newHome('embedded')
  const writer = await startService(home)
  for (const [index, stage] of stages.entries()) {
    if (index % 50 === 0) tell(`${title}: ${index} of ${stages.length} stages`)
    await call(writer, '/v1/env/write', { ...stage, mode: 'upsert', entries })
  }
  await writer.stop()
  const withoutPeople = bytesIn(home.folder)
  addPeople(home, people)
  const disk = bytesIn(home.folder)
  tell(`${title}: memory`)
  const service = await startService(home, collectOnSignal)
  const evaluation = { name: entries[0]?.name }
  await call(service, '/v1/env/list', stages[0] ?? {})
  const empty = await residentBytesOf(service)
  await useAll(service, company, stages, evaluation)
  const used = await residentBytesOf(service)
  const busy = stages.slice(0, maxBusyStages)
  tell(`${title}: load`)
  const writing = { mode: 'upsert', entries: entries.slice(0, 1) }
  const writes = await loadOf(service, company, busy, '/v1/env/write', writing, plan(usual))
  const evaluations = await loadOf(service, company, busy, '/v1/env/evaluate', evaluation, plan(usual))
  await service.stop()
  const failed = [writes, evaluations].flatMap(({ errors }) => Object.entries(errors)).filter(([, count]) => count > 0)
  const speeds = [writes, evaluations].flatMap(({ perSecond, p99Ms }) => [whole(perSecond), p99Ms.toFixed(1)])
  const sizes = [disk, disk - withoutPeople, used, empty].map(megabytes)
  const counts = [people, stages.length, stages.length * variablesPerStage].map(whole)
  return {
    row: [title, ...counts, ...sizes, ...speeds],
    faults: failed.map(([kind, count]) => `${title}: ${count} answers with the error ${kind}`),
  }
}

async function run(context: Context): Promise<Section> {
  const measured = []
  for (const company of companies) measured.push(await measure(company, context))
  const { seconds, connections } = context.plan(usual)
  return {
    title: 'Capacity',
    how:
      'Three sizes of company on one process with the embedded store. Each variable is a secret of 32 bytes, written once. Each person has a ' +
      'password, is a member and is signed in. Memory is resident, after a full garbage collection: without a stage, and after each stage and ' +
      `each person was used. Writes replace one variable and are synced to disk; they and evaluations come from ${connections} connections for ` +
      `${seconds} s, to up to ${maxBusyStages} stages by turns.`,
    headings,
    textColumns: 1,
    rows: measured.map(({ row }) => row),
    aims: [],
    notes: [],
    faults: measured.flatMap(({ faults }) => faults),
  }
}

export const capacity: Part = { name: 'capacity', run }
