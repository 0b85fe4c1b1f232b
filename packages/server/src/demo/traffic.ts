/** The programs of the demo: a web shop with a service token, a page with a client key, and a pipeline with a trust. */
import { hash } from 'node:crypto'
import { bucketText, decide, sides, unitOfBinary } from '@rollkey/contract'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import type { Scene } from './scene.ts'

const shop = { projectSlug: 'shop' }
const prod = { ...shop, stageSlug: 'prod' }

/** How many people visit in each hour of a day (UTC), relative to the others. */
const rhythm = [1, 1, 1, 1, 2, 4, 6, 10, 14, 16, 17, 16, 14, 15, 16, 16, 14, 12, 10, 9, 8, 6, 4, 2]
/** After how many visitors the shop reads each variable again. Nothing reads LEGACY_SHIPPING_KEY. */
const readsEvery = {
  PAGE_SIZE: 5,
  SHOW_REVIEWS: 7,
  STRIPE_KEY: 11,
  DATABASE_URL: 23,
  SMTP_PASSWORD: 29,
  PRICES: 13,
  LOG_LEVEL: 31,
}

/** The roll that the shop decides in its process, from the day after it is created, for each of many people who buy nothing. */
const inProcess = { name: 'BUTTON_COLOR', chance: 0.5, fromDay: 15, peoplePerVisitor: 20 }

const issuer = 'https://ci.acme.example'
const audience = 'rollkey'

/** The traffic of the demo, day by day. */
export class Traffic {
  readonly #scene: Scene
  #visitors = 0
  #people = 0
  #web = ''
  #clientKey = ''
  #trustId = ''
  #pipelineKey: CryptoKey | undefined

  constructor(scene: Scene) {
    this.#scene = scene
  }

  async serve(day: number): Promise<void> {
    if (day === 0) await this.#createCredentials()
    if (day === 21) await this.#createTrust()
    for (const [hour, weight] of rhythm.entries()) {
      if (!this.#scene.goTo(day, hour + 0.5)) return
      const visitors = (weight / 8) * (1 + day / 30) * (this.#scene.isWeekend() ? 0.4 : 1)
      await Promise.all(Array.from({ length: Math.round(visitors) }, () => this.#visit()))
      if (day >= inProcess.fromDay) await this.#report(Math.round(visitors * inProcess.peoplePerVisitor))
      if (hour === 9) await this.#readOthers()
      if (hour === 10 && this.#pipelineKey && !this.#scene.isWeekend()) await this.#deploy(this.#pipelineKey)
    }
  }

  async #createCredentials(): Promise<void> {
    const { call } = this.#scene
    const { token } = await call('ada', 'tokenCreate', { name: 'web shop', ...prod, readOnly: true })
    const key = await call('grace', 'keyCreate', {
      name: 'Price page',
      ...prod,
      origins: ['https://shop.acme.example'],
    })
    await call('grace', 'tokenCreate', {
      name: 'load test',
      ...shop,
      stageSlug: 'staging',
      readOnly: true,
      expiresInDays: 35,
    })
    this.#web = String(token)
    this.#clientKey = String(key['key'])
  }

  async #createTrust(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'demo', alg: 'ES256', use: 'sig' }] })
    const claims = [{ name: 'project', value: 'shop' }]
    const trust = { name: 'Deployment of the shop', issuer, audience, claims, jwks, role: 'reader', ...prod }
    const { id } = await this.#scene.call('grace', 'trustCreate', trust)
    this.#trustId = String(id)
    this.#pipelineKey = privateKey
  }

  /** Serves one person, who is never the same, so that the counts of a roll are those of independent people. */
  async #visit(): Promise<void> {
    const visitor = ++this.#visitors
    const names = Object.entries(readsEvery).filter(([, every]) => visitor % every === 0)
    const roll = { name: 'NEW_CHECKOUT', seed: `user-${visitor}`, key: 'shop' }
    const entries = [roll, ...names.map(([name]) => ({ name }))]
    await this.#scene.call('ada', 'evaluateBatch', { ...prod, entries }, this.#web)
    if (visitor % 17 === 0) await this.#scene.readFlags(this.#clientKey, `visitor-${visitor}`)
  }

  /** Decides for people as a ruleset does, and reports that. */
  async #report(people: number): Promise<void> {
    const { name, chance } = inProcess
    const counts = { a: 0, b: 0 }
    for (let person = 0; person < people; person++) {
      const text = bucketText(name, `person-${++this.#people}`, '')
      const { decision } = decide({ chance }, { unit: () => unitOfBinary(hash('sha256', text, 'binary')) })
      counts[decision]++
    }
    const rows = sides.map((decision) => ({ name, decision, step: 'chance', chance, count: counts[decision] }))
    const decisions = rows.filter(({ count }) => count > 0)
    if (decisions.length > 0) await this.#scene.call('ada', 'report', { ...prod, decisions }, this.#web)
  }

  /** Reads everything once that is not in production, as developers do. */
  async #readOthers(): Promise<void> {
    for (const stageSlug of ['dev', 'staging']) await this.#scene.call('alan', 'pull', { ...shop, stageSlug })
    for (const stageSlug of this.#scene.isWeekend() ? [] : ['dev', 'prod'])
      await this.#scene.call('margaret', 'pull', { projectSlug: 'mobile', stageSlug })
  }

  /** Reads production with a token of the pipeline. */
  async #deploy(key: CryptoKey): Promise<void> {
    const nowSec = Math.floor(this.#scene.nowMs() / 1_000)
    const jwt = await new SignJWT({ project: 'shop' })
      .setProtectedHeader({ alg: 'ES256', kid: 'demo' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('project:shop')
      .setIssuedAt(nowSec)
      .setExpirationTime(nowSec + 600)
      .sign(key)
    const token = await this.#scene.exchange(this.#trustId, jwt)
    await this.#scene.call('grace', 'evaluate', { ...prod, name: 'DATABASE_URL' }, token)
  }
}
