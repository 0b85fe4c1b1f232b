/** The values of placeholders: organizations and stages with known content, created once, and fresh tokens and codes. */
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { launchTestApp, type TestApp } from '../../testkit/app.ts'
import { TestClock } from '../../testkit/clock.ts'
import { newUser, type TokenPair } from '../../testkit/client.ts'
import { TestProvider, type TestUser } from '../../testkit/provider.ts'
import type { Fixture } from './case.ts'

const projectSlug = 'shop'
const stageSlug = 'prod'
const oddStageSlug = 'odd'
const spentLimit = 5
const tinyStorageBytes = 4_000

export const names = {
  secretName: 'SECRET_ONE',
  intName: 'INT_ONE',
  untypedName: 'UNTYPED_ONE',
  abName: 'AB_HALF',
  abChance0Name: 'AB_NEVER',
  deletableName: 'DELETABLE',
}

export interface Organization {
  readonly slug: string
  readonly secretValue: string
  readonly protoValue: string
}

function random(): string {
  return randomBytes(20).toString('hex')
}

async function fillOrganization(app: TestApp, provider: TestProvider, slug: string): Promise<Organization> {
  const secretValue = random()
  const protoValue = random()
  const token = await provider.tokenOf(newUser(slug))
  const write = (stage: string, entries: object[]): Promise<unknown> =>
    app.client.must('write', { orgSlug: slug, projectSlug, stageSlug: stage, mode: 'upsert', entries }, { token })
  const roll = (name: string, chance: number): object => ({
    name,
    kind: 'ab_roll',
    valueA: 'A',
    valueB: 'B',
    chance,
  })
  await write(stageSlug, [
    { name: names.secretName, kind: 'secret', value: secretValue, declaredType: 'string' },
    { name: names.intName, kind: 'secret', value: '42', declaredType: 'int64' },
    { name: names.untypedName, kind: 'secret', value: 'untyped' },
    { name: names.deletableName, kind: 'secret', value: 'gone soon' },
    { name: 'FLAG', kind: 'secret', value: 'true', declaredType: 'boolean' },
    { name: 'SHAPE', kind: 'secret', value: '{"a":1}', declaredType: 'json' },
    roll(names.abName, 0.5),
    roll(names.abChance0Name, 0),
  ])
  await write(oddStageSlug, [
    { name: '__proto__', kind: 'secret', value: protoValue },
    { name: 'constructor', kind: 'secret', value: 'c' },
    { name: 'toString', kind: 'secret', value: 't' },
    roll('C_TENTH', 0.1),
    roll('C_TINY', 1e-12),
    roll('C_THIRD', 0.30000000000000004),
  ])
  return { slug, secretValue, protoValue }
}

/** Writes smaller and smaller values until nothing fits anymore. */
async function fillStorage(app: TestApp, provider: TestProvider, slug: string): Promise<void> {
  const token = await provider.tokenOf(newUser(slug))
  for (let size = 1_024, i = 0; size >= 1; i++) {
    const entries = [{ name: `FILL_${i}`, kind: 'secret', value: 'x'.repeat(size) }]
    const body = { orgSlug: slug, projectSlug, stageSlug, mode: 'upsert', entries }
    const { status } = await app.client.call('write', body, { token })
    if (status === 402) size = Math.floor(size / 2)
  }
}

export interface HostileEnv {
  readonly clock: TestClock
  readonly provider: TestProvider
  readonly app: TestApp
  readonly apps: readonly TestApp[]
  readonly a: Organization
  readonly b: Organization
  /** The URL of a listener that no request may ever reach. */
  readonly listenerUrl: string
  listenerHits(): number
  close(): Promise<void>
}

async function startListener(onHit: () => void): Promise<Server> {
  const server = createServer((_, response) => {
    onHit()
    response.end('{"keys":[]}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

export async function startHostileEnv(): Promise<HostileEnv & { appFor(fixture: Fixture | undefined): TestApp }> {
  const clock = new TestClock()
  const provider = new TestProvider(clock)
  await provider.start()
  const app = await launchTestApp({}, { provider })
  const spent = await launchTestApp({ PLAN: 'free', FREE_EVALUATIONS: String(spentLimit) }, { provider })
  const tiny = await launchTestApp({ PLAN: 'free', FREE_STORAGE_BYTES: String(tinyStorageBytes) }, { provider })
  let hits = 0
  const listener = await startListener(() => hits++)
  const apps = [app, spent, tiny]
  return {
    clock,
    provider,
    app,
    apps,
    a: await fillOrganization(app, provider, 'acme-a'),
    b: await fillOrganization(app, provider, 'beta-b'),
    listenerUrl: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/keys`,
    listenerHits: () => hits,
    appFor: (fixture) => (fixture === undefined ? app : fixture === 'storageFull' ? tiny : spent),
    async close() {
      for (const each of apps) await each.close()
      listener.close()
      await provider.close()
    },
  }
}

let fixtures = 0

/** Returns the organization of a case: A, or a new one in the state that the fixture names. */
export async function organizationFor(
  testEnv: HostileEnv,
  app: TestApp,
  fixture: Fixture | undefined,
  uniqueKey: string,
): Promise<Organization> {
  if (fixture === undefined) return testEnv.a
  fixtures++
  const org = await fillOrganization(app, testEnv.provider, `fixture-${fixtures}`)
  if (fixture === 'storageFull') await fillStorage(app, testEnv.provider, org.slug)
  if (fixture === 'evaluationsSpent' || fixture === 'evaluationsSpentByKey') {
    const token = await testEnv.provider.tokenOf(newUser(org.slug))
    const body = { orgSlug: org.slug, projectSlug, stageSlug, name: names.secretName }
    for (let i = 1; i <= spentLimit; i++) {
      const isLast = i === spentLimit && fixture === 'evaluationsSpentByKey'
      await app.client.must('evaluate', body, {
        token,
        ...(isLast && { headers: { 'x-service-request-key': uniqueKey } }),
      })
    }
  }
  return org
}

/** The values of one case. Placeholders are created when they are first named. */
export class Scene {
  readonly testEnv: HostileEnv
  readonly app: TestApp
  readonly org: Organization
  readonly user: TestUser
  readonly removedUser: TestUser
  readonly #values = new Map<string, string>()
  /** The session of user A, for `atExpiry`. */
  session: TokenPair | undefined

  constructor(testEnv: HostileEnv, app: TestApp, org: Organization, uniqueKey: string) {
    this.testEnv = testEnv
    this.app = app
    this.org = org
    this.user = newUser(org.slug)
    this.removedUser = newUser(org.slug)
    const { host } = new URL(app.url)
    const run = random()
    const fixed: Record<string, string> = {
      ...names,
      run,
      host,
      orgSlug: org.slug,
      otherOrgSlug: testEnv.b.slug,
      otherOrgSecretValue: testEnv.b.secretValue,
      orgSlugCyrillicA: org.slug.replace('a', '\u0430'),
      projectSlug,
      stageSlug,
      oddStageSlug,
      secretValue: org.secretValue,
      secretNameLower: names.secretName.toLowerCase(),
      protoValue: org.protoValue,
      freshName: `FRESH_${run.slice(0, 12)}`,
      freshStageSlug: `fresh-${run.slice(0, 12)}`,
      uniqueKey,
      uniqueKey2: random(),
      uniqueKey3: random(),
      approvalPagePath: '/device',
    }
    for (const [name, value] of Object.entries(fixed)) this.#values.set(name, value)
  }

  get(name: string): string | undefined {
    return this.#values.get(name)
  }

  set(name: string, value: string): void {
    this.#values.set(name, value)
  }

  /** Returns the tokens of a fresh session of user A. */
  setSession(pair: TokenPair): void {
    this.session = pair
    const { accessToken, refreshToken } = pair
    const middle = accessToken.length / 2
    this.set('accessToken', accessToken)
    this.set('accessTokenAtExactExpiry', accessToken)
    this.set('refreshToken', refreshToken)
    this.set('accessTokenPrefixUppercased', accessToken.replace('svc_at_', 'SVC_AT_'))
    this.set('accessTokenWithStarInserted', `${accessToken.slice(0, middle)}*${accessToken.slice(middle)}`)
    this.set('accessTokenMinusLastChar', accessToken.slice(0, -1))
  }
}
