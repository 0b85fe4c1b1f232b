import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { launchTestApp, type TestApp } from './app.ts'
import { newUser, type TestClient } from './client.ts'
import { TestClock } from './clock.ts'
import { TestProvider, type TestUser } from './provider.ts'

/**
 * Returns the time at which a test begins. Where no other program has a clock (`vitest.config.ts`), that is noon of the 15th of next month:
 * neither the day nor the month ends during a test. The store and its data are from before.
 */
function startMs(): number {
  const now = new Date()
  if (process.env['ROLLKEY_TEST_CLOCK'] !== 'middle of a month') return now.getTime()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15, 12)
}

/** A running service, the provider that it trusts, and their shared clock. */
export class TestEnv {
  readonly clock: TestClock
  readonly provider: TestProvider
  #app: TestApp | undefined

  constructor(clock = new TestClock(startMs())) {
    this.clock = clock
    this.provider = new TestProvider(clock)
  }

  get app(): TestApp {
    if (!this.#app) throw new Error('The service has not started: use it in a test or a hook.')
    return this.#app
  }

  get client(): TestClient {
    return this.app.client
  }

  /** Starts the service. `settings` have names without the prefix ROLLKEY_. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    await this.provider.start()
    this.#app = await launchTestApp(settings, { provider: this.provider })
  }

  /** Stops the service and starts it again on the same data directory. */
  async restart(): Promise<void> {
    this.#app = await this.app.restart()
  }

  async close(): Promise<void> {
    await this.#app?.close()
    await this.provider.close()
  }
}

/**
 * Returns a test environment that runs during all tests of the file or the `describe` block. Beside another process that works on the
 * same store, it needs the clock of the machine: `new TestClock()`.
 */
export function useTestEnv(settings: Record<string, string> = {}, clock?: TestClock): TestEnv {
  const testEnv = new TestEnv(clock)
  beforeAll(() => testEnv.start(settings))
  afterAll(() => testEnv.close())
  return testEnv
}

/** Starts a test environment that runs until the end of the current test. */
export async function startTestEnv(settings: Record<string, string> = {}): Promise<TestEnv> {
  const testEnv = new TestEnv()
  onTestFinished(() => testEnv.close())
  await testEnv.start(settings)
  return testEnv
}

/** A caller with a stage in a separate organization, so that tests do not affect each other. */
export interface TestTenant {
  readonly user: TestUser
  readonly token: string
  readonly refreshToken: string
  readonly at: { readonly orgSlug: string; readonly projectSlug: string; readonly stageSlug: string }
}

let tenants = 0

export async function newTenant({ client }: Pick<TestEnv, 'client'>): Promise<TestTenant> {
  tenants++
  const user = newUser(`tenant-${tenants}`)
  const { accessToken, refreshToken } = await client.login(user)
  const at = { orgSlug: user.orgSlug, projectSlug: 'shop', stageSlug: 'prod' }
  return { user, token: accessToken, refreshToken, at }
}

/** Creates a tenant whose caller is an owner of the organization. */
export async function newOwner(testEnv: Pick<TestEnv, 'client' | 'provider'>): Promise<TestTenant> {
  const tenant = await newTenant(testEnv)
  testEnv.provider.setRole(tenant.user, 'owner')
  return tenant
}

/** Returns the tenant at another stage, project or organization. */
export function tenantAt(tenant: TestTenant, place: Partial<TestTenant['at']>): TestTenant {
  return { ...tenant, at: { ...tenant.at, ...place } }
}

/** Creates a service token of the owner's organization. Returns the token and the other fields of the answer. */
export function newServiceToken({ client }: Pick<TestEnv, 'client'>, { at, token }: TestTenant, more: object = {}) {
  return client.must('tokenCreate', { orgSlug: at.orgSlug, name: 'ci', ...more }, { token })
}

/** Writes entries to the tenant's stage. Throws if that fails. */
export function write(
  { client }: Pick<TestEnv, 'client'>,
  { at, token }: TestTenant,
  entries: object[],
  more: object = {},
) {
  return client.must('write', { ...at, mode: 'upsert', entries, ...more }, { token })
}
