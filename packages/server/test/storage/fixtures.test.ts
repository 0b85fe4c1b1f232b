/** Opens filled stores of earlier schemas with the current code: all data is there, and everything still works. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { exportFormat, valuesOf, type EndpointName, type WriteEntry } from '@rollkey/contract'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { startApp, type App } from '../../src/compose/app.ts'
import { openInstallation } from '../../src/compose/installation.ts'
import { readConfig, type Config } from '../../src/config.ts'
import { newestSchema, schemaVersion } from '../../src/storage/migrate.ts'
import { newFolder } from '../../testkit/folder.ts'
import { TestClient } from '../../testkit/client.ts'
import { TestClock } from '../../testkit/clock.ts'
import { dumpPostgres, dumpSqlite, loadPostgres, loadSqlite } from '../../testkit/fixtures/dump.ts'
import type { Facts } from '../../testkit/fixtures/fill.ts'
import { onStore } from '../../testkit/operator.ts'
import { Person } from '../../testkit/person.ts'
import { newDatabase } from '../../testkit/postgres.ts'
import { silent } from './temporary.ts'

/** Time after which no one is refused because of earlier sign-ins. */
const minute = 60_000
/** The schema in which service tokens can read the history or not, and do not by default. */
const firstWithHistoryChoice = 11
const fixtures = path.resolve(import.meta.dirname, '../../testkit/fixtures')
const folders = readdirSync(fixtures).filter((name) => name.startsWith('schema-'))

test('there are fixtures of both engines, for each schema that a version had', () => {
  const schemas = [9, 25]
  const expected = schemas.flatMap((schema) => [`schema-${schema}-embedded`, `schema-${schema}-postgres`])
  expect(folders).toEqual(expect.arrayContaining(expected))
})

/** Returns the commands of docs/upgrade.md that go back to before an upgrade of the embedded store. */
function wayBack(): string {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/upgrade.md'), 'utf8')
  const commands = /```sh\n(?<commands>[^`]*schema-24[^`]*)```/.exec(text)?.groups?.['commands']
  if (commands === undefined) throw new Error('docs/upgrade.md has no commands with the copies of schema 24')
  return commands
}

function textOf(folder: string, name: string): string {
  return readFileSync(path.join(fixtures, folder, name), 'utf8')
}

/** Loads the store and returns the settings that name it. */
async function load(folder: string, dataDir: string): Promise<Record<string, string>> {
  const text = (name: string): string => textOf(folder, name)
  if (existsSync(path.join(fixtures, folder, 'postgres.sql'))) {
    const url = await newDatabase(inject('postgresUrl'))
    await loadPostgres(url, text('postgres.sql'))
    return { DATABASE_URL: url }
  }
  for (const name of ['rollkey', 'identity']) loadSqlite(path.join(dataDir, `${name}.db`), text(`${name}.sql`))
  cpSync(path.join(fixtures, folder, 'usage'), path.join(dataDir, 'usage'), { recursive: true })
  return {}
}

describe.each(folders)('%s', (folder) => {
  const facts = JSON.parse(textOf(folder, 'facts.json')) as Facts
  const dataDir = newFolder()
  const token = facts.sessions.acme.accessToken
  const prod = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
  const text = (name: string): string => textOf(folder, name)
  let settings: Record<string, string>
  /** Dump of PostgreSQL from before the upgrade. */
  let dump = ''
  let config: Config
  let app: App
  let client: TestClient

  async function start(): Promise<void> {
    config = readConfig(Object.fromEntries(Object.entries(settings).map(([name, value]) => [`ROLLKEY_${name}`, value])))
    app = await startApp(config, silent, new TestClock())
    client = new TestClient(app.url)
  }

  /** Runs a command on the store while no server uses it. */
  async function operate(words: string, ...more: string[]): Promise<unknown> {
    const { installation, close } = await openInstallation(config, silent)
    return onStore(installation, words, ...more).finally(close)
  }

  beforeAll(async () => {
    // The library that signs people in asks no clock that could be passed in.
    vi.useFakeTimers({ toFake: ['Date'], now: facts.madeAtMs + minute })
    const { publicUrl, masterKey } = facts
    settings = { PORT: '0', DATA_DIR: dataDir, PUBLIC_URL: publicUrl, MASTER_KEY: masterKey }
    settings = { ...settings, ...(await load(folder, dataDir)) }
    if (settings['DATABASE_URL'] !== undefined) dump = await dumpPostgres(settings['DATABASE_URL'])
    await start()
  })
  afterAll(async () => {
    await app.close()
    vi.useRealTimers()
  })

  function answersOf(endpoint: string): Facts['answers'] {
    return facts.answers.filter((each) => each.endpoint === endpoint)
  }

  async function expectAnswers(answers: Facts['answers']): Promise<void> {
    for (const { endpoint, input, by, answer } of answers) {
      const now = await client.must(endpoint, input, { token: facts.sessions[by].accessToken })
      expect(now, `${endpoint} ${JSON.stringify(input)}`).toMatchObject(answer as object)
    }
  }

  async function expectBilledKeys(): Promise<void> {
    const used = async (): Promise<number> => {
      const { months } = await client.must('usage', { orgSlug: 'acme', months: 1 }, { token })
      return months[0].evaluations
    }
    const before = await used()
    const headers = { 'x-service-request-key': facts.requestKey }
    await client.must('evaluate', { ...prod, name: 'ROUND' }, { token, headers })
    expect(await used()).toBe(before)
  }

  async function expectEvaluations(): Promise<void> {
    for (const { input, by, answer } of answersOf('reveal')) {
      const { names: _, ...stage } = input
      const { variables } = answer as { variables: WriteEntry[] }
      const { results } = await client.must(
        'evaluateBatch',
        { ...stage, entries: variables.map(({ name }) => ({ name })) },
        { token: facts.sessions[by].accessToken },
      )
      for (const [index, entry] of variables.entries()) {
        expect(valuesOf(entry)).toContain(results[index].value)
      }
    }
  }

  async function expectCredentials(): Promise<void> {
    const { everywhere, readOnly, project, stage, revoked } = facts.serviceTokens
    const write = { ...prod, mode: 'upsert', entries: [{ name: 'LATER', kind: 'secret', value: 'later' }] }
    const statuses = async (endpoint: EndpointName, input: object): Promise<number[]> => {
      const answers = [everywhere, readOnly, project, stage, revoked].map((each) =>
        client.call(endpoint, input, { token: each }),
      )
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    expect(await statuses('pull', prod)).toEqual([200, 200, 200, 200, 401])
    expect(await statuses('pull', { ...prod, stageSlug: 'dev' })).toEqual([200, 200, 200, 403, 401])
    expect(await statuses('pull', { ...prod, projectSlug: 'app-2' })).toEqual([200, 200, 403, 403, 401])
    expect(await statuses('write', write)).toEqual([200, 403, 200, 403, 401])
    // Tokens from before there was a choice go on to read the history.
    const history = facts.schema < firstWithHistoryChoice ? 200 : 403
    expect(await statuses('history', prod)).toEqual([history, history, history, history, 401])
    const { accessToken } = await client.must('tokenRefresh', { refreshToken: facts.sessions.globex.refreshToken })
    expect((await client.call('session', {}, { token: accessToken })).body.orgSlug).toBe('globex')
    expect((await client.call('session', {}, { token: facts.revokedSession.accessToken })).status).toBe(401)
    const { pending, approved, denied, exchanged } = facts.deviceCodes
    const polled = async (deviceCode: string): Promise<unknown> => {
      const { status, body } = await client.call('devicePoll', { deviceCode })
      return body.status ?? status
    }
    expect(await Promise.all([pending, approved, denied, exchanged].map(polled))).toEqual([
      'pending',
      'approved',
      410,
      404,
    ])
  }

  async function expectWrites(): Promise<void> {
    const { revision } = await client.must('list', prod, { token })
    await client.must(
      'write',
      { ...prod, mode: 'upsert', entries: [{ name: 'ROUND', kind: 'secret', value: 'today' }] },
      { token },
    )
    expect((await client.must('evaluate', { ...prod, name: 'ROUND' }, { token })).value).toBe('today')
    await client.must('restore', { ...prod, revision, names: ['ROUND'] }, { token })
    expect((await client.must('evaluate', { ...prod, name: 'ROUND' }, { token })).value).toBe('third')
  }

  async function expectSignIns(): Promise<void> {
    for (const who of ['acme', 'globex', 'admin', 'member'] as const) {
      const person = new Person(facts.publicUrl, facts.people[who])
      person.url = app.url
      expect((await person.signIn(facts.password)).status).toBe(200)
      const organizationSlug = who === 'globex' ? 'globex' : 'acme'
      await person.must('/organization/set-active', { organizationSlug })
      const { orgSlug, role } = await client.must('whoami', {}, { token: await person.token() })
      expect({ orgSlug, role }).toEqual({
        orgSlug: organizationSlug,
        role: who === 'acme' || who === 'globex' ? 'owner' : who,
      })
      if (who !== 'acme') continue
      expect((await person.get('/passkey/list-user-passkeys')).body).toMatchObject([{ name: 'a laptop' }])
      const { body } = await person.get('/organization/list-invitations')
      expect(body.map((each: { status: string }) => each.status).toSorted()).toEqual([
        'accepted',
        'accepted',
        'canceled',
        'pending',
      ])
    }
  }

  async function expectLogAndExport(): Promise<void> {
    await app.close()
    const { installation, close } = await openInstallation(config, silent)
    expect(await schemaVersion(installation.sql).finally(close)).toBe(newestSchema())
    expect(await operate('audit verify')).toMatchObject({ good: true, organizations: 3, problems: [] })
    const file = path.join(dataDir, 'export.json')
    expect(await operate('export acme', file)).toMatchObject({ projects: 3, unopened: [] })
    const { projects } = exportFormat.parse(JSON.parse(readFileSync(file, 'utf8')))
    const stage = projects.find(({ slug }) => slug === 'shop')?.stages.find(({ slug }) => slug === 'prod')
    expect(stage?.variables).toContainEqual({
      kind: 'secret',
      name: 'OF_INT64',
      value: '-9223372036854775808',
      declaredType: 'int64',
    })
  }

  /** Goes back to before the upgrade as docs/upgrade.md says. Returns the content of the store by the name in the fixture. */
  async function takeBack(): Promise<Record<string, string>> {
    if (settings['DATABASE_URL'] === undefined) {
      execFileSync('sh', ['-e', '-c', wayBack().replaceAll('schema-24', `schema-${facts.schema}`)], { cwd: dataDir })
      const names = ['rollkey', 'identity']
      return Object.fromEntries(names.map((name) => [`${name}.sql`, dumpSqlite(path.join(dataDir, `${name}.db`))]))
    }
    const restored = await newDatabase(inject('postgresUrl'))
    await loadPostgres(restored, dump)
    settings = { ...settings, DATABASE_URL: restored }
    return { 'postgres.sql': await dumpPostgres(restored) }
  }

  async function expectWayBack(): Promise<void> {
    await app.close()
    for (const [name, content] of Object.entries(await takeBack())) expect(content, name).toBe(text(name))
    await start()
    // What was counted and had not reached the tables is lost.
    await expectAnswers(facts.answers.filter(({ endpoint }) => endpoint !== 'usage'))
  }

  // One test, since each part changes what the next one finds.
  test('has all its data, and everything still works', async () => {
    await expectAnswers(facts.answers)
    await expectBilledKeys()
    await expectEvaluations()
    await expectCredentials()
    await expectWrites()
    await expectSignIns()
    await expectLogAndExport()
    if (facts.schema < newestSchema()) await expectWayBack()
  })
})
