import { startTestApp, type TestApp } from './app.ts'
import { newUser, type TestClient } from './client.ts'
import { TestClock } from './clock.ts'
import { TestProvider, type TestUser } from './provider.ts'

/** A running service, the provider that it trusts, and their shared clock. */
export class TestEnv {
  readonly provider: TestProvider
  readonly clock: TestClock
  #app: TestApp

  constructor(provider: TestProvider, clock: TestClock, app: TestApp) {
    this.provider = provider
    this.clock = clock
    this.#app = app
  }

  get app(): TestApp {
    return this.#app
  }

  get client(): TestClient {
    return this.#app.client
  }

  /** Stops the service and starts it again on the same data directory. */
  async restart(): Promise<void> {
    this.#app = await this.#app.restart()
  }

  async close(): Promise<void> {
    await this.#app.close()
    await this.provider.close()
  }
}

/** Starts a test environment. `settings` have names without the prefix ROLLKEY_. */
export async function startTestEnv(settings: Record<string, string> = {}): Promise<TestEnv> {
  const clock = new TestClock()
  const provider = await TestProvider.start(clock)
  return new TestEnv(provider, clock, await startTestApp(provider, clock, settings))
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
  const user = newUser(`desk-${tenants}`)
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

/** Creates a service token of the owner's organization. Returns the token and the other fields of the answer. */
export function newServiceToken({ client }: Pick<TestEnv, 'client'>, { at, token }: TestTenant, more: object = {}) {
  return client.must('tokenCreate', { orgSlug: at.orgSlug, name: 'ci', ...more }, { token })
}

export function secret(name: string, value: string, declaredType?: string): object {
  return { name, kind: 'secret', value, ...(declaredType && { declaredType }) }
}

export function roll(name: string, chance: number, valueA = 'A', valueB = 'B'): object {
  return { name, kind: 'ab_roll', valueA, valueB, chance }
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
