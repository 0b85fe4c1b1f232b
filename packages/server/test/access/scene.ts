/** An organization with rules, and people who have roles in it. */
import type { Request, Verb } from '@rollkey/contract'
import { newUser } from '../../testkit/client.ts'
import { roll, secret } from '../../testkit/entries.ts'
import { newIssuerKey, workloadToken } from '../../testkit/issuer.ts'
import type { TestUser } from '../../testkit/provider.ts'
import { newOwner, write, type TestEnv, type TestTenant } from '../../testkit/test-env.ts'

export interface Place {
  readonly projectSlug?: string
  readonly stageSlug?: string
}

export const dev = { projectSlug: 'shop', stageSlug: 'dev' }
export const prod = { projectSlug: 'shop', stageSlug: 'prod' }
export const shop = { projectSlug: 'shop' }
/** In another project. */
export const blog = { projectSlug: 'blog', stageSlug: 'prod' }
const stages = [dev, prod, blog]

/** The name of a variable that only this stage has. */
export function canaryOf({ projectSlug, stageSlug }: Place): string {
  return `CANARY_OF_${projectSlug}_${stageSlug}`.toUpperCase()
}

/** An organization with three stages, of which each has A, the roll R and a canary. */
export class Scene {
  readonly testEnv: TestEnv
  readonly owner: TestTenant
  readonly orgSlug: string

  private constructor(testEnv: TestEnv, owner: TestTenant) {
    this.testEnv = testEnv
    this.owner = owner
    this.orgSlug = owner.at.orgSlug
  }

  static async open(testEnv: TestEnv): Promise<Scene> {
    const scene = new Scene(testEnv, await newOwner(testEnv))
    for (const at of stages) {
      const tenant = { ...scene.owner, at: { orgSlug: scene.orgSlug, ...at } }
      const canary = canaryOf(at)
      await write(testEnv, tenant, [
        secret('A', `value of ${canary}`),
        secret(canary, canary),
        { ...roll('R', 1), exposure: 'plain' },
      ])
    }
    return scene
  }

  /** Calls as the owner, with a fresh confirmation, and throws unless the answer is 200. */
  async asOwner(name: Parameters<TestEnv['client']['must']>[0], input: object = {}) {
    const token = await this.testEnv.provider.confirmedTokenOf(this.owner.user)
    return this.testEnv.client.must(name, { orgSlug: this.orgSlug, ...input }, { token })
  }

  async setDefaultRole(defaultRole: Request<'organizationUpdate'>['defaultRole']): Promise<void> {
    await this.asOwner('organizationUpdate', { defaultRole })
  }

  async protect(at: Place, isProtected = true): Promise<void> {
    await this.asOwner('stageProtect', { ...at, isProtected })
  }

  /** Creates a member of the organization. */
  member(): TestUser {
    return { ...newUser(this.orgSlug), orgId: this.owner.user.orgId }
  }

  async grant(user: TestUser, role: string, place: Place = {}, more: object = {}): Promise<void> {
    await this.asOwner('accessGrant', { principal: { kind: 'user', id: user.userId }, role, ...place, ...more })
  }

  async revoke(user: TestUser, place: Place = {}): Promise<void> {
    await this.asOwner('accessRevoke', { principal: { kind: 'user', id: user.userId }, ...place })
  }

  /** Adds a role with `list` and these verbs, and returns its name. */
  async role(...verbs: Verb[]): Promise<string> {
    const all = [...new Set<Verb>(['list', ...verbs])]
    const name = `only-${all.join('-')}`
    await this.asOwner('roleSet', { name, verbs: all })
    return name
  }

  /** Creates a service token, or a trust and a token of it. Returns the token. */
  async machine(kind: 'service token' | 'token of a trust', input: object): Promise<string> {
    if (kind === 'service token') return (await this.asOwner('tokenCreate', input)).token
    const key = await newIssuerKey()
    const [issuer, audience] = ['https://cluster.example', 'rollkey']
    const rules = { issuer, audience, claims: [{ name: 'sub', value: 'web' }] }
    const jwks = JSON.stringify({ keys: [key.publicJwk] })
    const { id } = await this.asOwner('trustCreate', { ...input, ...rules, jwks })
    const outside = await workloadToken(key, this.testEnv.clock, { iss: issuer, aud: audience, sub: 'web' })
    return (await this.testEnv.client.exchange(outside, id)).body.access_token
  }

  /** Returns a provider token; with `isConfirmed`, one of a fresh sign-in. */
  tokenOf(user: TestUser, isConfirmed = false): Promise<string> {
    const { provider } = this.testEnv
    return isConfirmed ? provider.confirmedTokenOf(user) : provider.tokenOf(user)
  }

  async call(name: Parameters<TestEnv['client']['call']>[0], input: object, token: string) {
    return this.testEnv.client.call(name, { orgSlug: this.orgSlug, ...input }, { token })
  }

  /** Calls, and returns 'ok' or the code of the error. */
  async codeOf(name: Parameters<TestEnv['client']['call']>[0], input: object, token: string): Promise<string> {
    const { status, body } = await this.call(name, input, token)
    return status === 200 ? 'ok' : body.error.code
  }
}
