/** An organization that trusts an issuer, and the exchange of its tokens. */
import { afterAll, beforeAll } from 'vitest'
import { answerOf, type Answer } from '../../testkit/client.ts'
import { secret } from '../../testkit/entries.ts'
import { TestIssuer } from '../../testkit/issuer.ts'
import { assertPublished } from '../../testkit/published.ts'
import { newOwner, TestEnv, write, type TestTenant } from '../../testkit/test-env.ts'

/** The audience of the trusts of tests. Without one it is the public URL of the service. */
export const audience = 'https://rollkey.example.com'
/** The claims by which the trusts of tests recognize a workload. */
const workload = { repository_id: '424242', ref: 'refs/heads/main' }
export const requiredClaims = Object.entries(workload).map(([name, value]) => ({ name, value }))

/** A service, an issuer that its operator lists, and an organization with a stage `shop/prod`. */
export class TrustScene {
  readonly testEnv = new TestEnv()
  readonly issuer = new TestIssuer(this.testEnv.clock)
  #owner: TestTenant | undefined

  /** `hasIssuer`: whether the issuer has started already. */
  async start(settings: Record<string, string> = {}, hasIssuer = false): Promise<void> {
    if (!hasIssuer) await this.issuer.start()
    await this.testEnv.start({ TRUSTED_ISSUERS: this.issuer.url, ...settings })
    this.#owner = await this.newOwner()
  }

  async close(): Promise<void> {
    await this.testEnv.close()
    await this.issuer.close()
  }

  get owner(): TestTenant {
    if (!this.#owner) throw new Error('The scene has not started: use it in a test or a hook.')
    return this.#owner
  }

  /** Creates an organization with a variable A in its stage. */
  async newOwner(): Promise<TestTenant> {
    const owner = await newOwner(this.testEnv)
    await write(this.testEnv, owner, [secret('A', 'value of A')])
    return owner
  }

  /** Calls as the owner and throws unless the answer is 200. */
  must(name: Parameters<TestEnv['client']['must']>[0], input: object = {}, { at, token } = this.owner) {
    return this.testEnv.client.must(name, { orgSlug: at.orgSlug, ...input }, { token })
  }

  call(name: Parameters<TestEnv['client']['call']>[0], input: object = {}, { at, token } = this.owner) {
    return this.testEnv.client.call(name, { orgSlug: at.orgSlug, ...input }, { token })
  }

  /** Creates a trust of the issuer for the workload. */
  trust(more: object = {}, owner = this.owner) {
    const rules = { issuer: this.issuer.url, audience, claims: requiredClaims, role: 'reader' }
    return this.must('trustCreate', { name: 'deploy', ...rules, ...more }, owner)
  }

  /** Returns the claims of the workload. */
  claims(more: object = {}) {
    return this.issuer.claims({ ...workload, ...more }, audience)
  }

  /** Returns a token of the workload. */
  token(more: object = {}, header: object = {}): Promise<string> {
    return this.issuer.sign(this.claims(more), header)
  }

  /** Sends a form to the token endpoint. */
  async send(form: Record<string, string> | string, headers: Record<string, string> = {}): Promise<Answer> {
    const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
    const url = `${this.testEnv.app.url}/oauth/token`
    const answer = await answerOf(await fetch(url, { method: 'POST', headers: type, body }))
    assertPublished('tokenExchange', answer.status, answer.text)
    return answer
  }

  /** Exchanges a token. */
  exchange(subjectToken: string, trustId: string): Promise<Answer> {
    return this.testEnv.client.exchange(subjectToken, trustId)
  }

  /** Exchanges a token of the workload and returns the access token. */
  async accessToken(trustId: string): Promise<string> {
    const { status, text, body } = await this.exchange(await this.token(), trustId)
    if (status !== 200) throw new Error(`exchange: ${status} ${text}`)
    return body.access_token
  }
}

/** Returns a scene that exists during all tests of the file. */
export function useTrustScene(settings: Record<string, string> = {}): TrustScene {
  const scene = new TrustScene()
  beforeAll(() => scene.start(settings))
  afterAll(() => scene.close())
  return scene
}
