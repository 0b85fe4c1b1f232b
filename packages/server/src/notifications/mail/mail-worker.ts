/**
 * Sends mails, on every node, one after the other. A lease keeps nodes from sending the same; a node that is killed leaves its message to
 * another one, which sends it again under the same Message-ID. No request waits for the SMTP server.
 */
import { mailKinds } from '@rollkey/contract'
import type { PersonName } from '../../access/principals.ts'
import { backoffMs } from '../../base/backoff.ts'
import type { Timer } from '../../base/clock.ts'
import { reasonOf, type Log } from '../../base/log.ts'
import * as store from '../../storage/mails.ts'
import type { MailOutcome, MailRow } from '../../storage/mails.ts'
import { idpOrgIdOf } from '../../storage/organizations.ts'
import type { Sql } from '../../storage/sql.ts'
import type { Audience } from './audience.ts'
import { isChosen, type AnyMailKind, type MailContent } from './kinds.ts'
import { layOut } from './layout.ts'
import type { LogReader } from './log-reader.ts'
import type { Smtp } from './smtp.ts'
import { digestOf, letterOf, type Letter } from './templates.ts'

const pollIntervalMs = 1_000
const hourMs = 60 * 60_000
/** How long a node leases a message: longer than sending takes at most. */
const leaseMs = 60_000
const backoff = { firstMs: 5_000, maxMs: hourMs }
/** Mails that wait for one person, of which each is a message. More are one. */
const maxSingle = 5
const maxBundled = 50
/** How long is remembered what was sent. */
const rememberedMs = 8 * 24 * hourMs
const forgottenAtOnce = 500

/** How the links of mails are sealed. */
export interface Links {
  seal(id: string, link: string): Buffer
  open(id: string, link: Buffer): string
}

export interface MailWorkerParts {
  readonly sql: Sql
  readonly smtp: Pick<Smtp, 'send'>
  readonly reader: Pick<LogReader, 'read'>
  readonly audience: Pick<Audience, 'of'>
  readonly links: Links
  /** Returns the link that sets a new password of an account; undefined if there is none to send. */
  readonly resetLinkOf: (email: string) => Promise<string | undefined>
  readonly named: (userIds: readonly string[]) => Promise<ReadonlyMap<string, PersonName>>
  readonly publicUrl: string
  readonly clock: Timer
  readonly log: Log
  readonly random: () => number
}

/** Values for /metrics since the start: messages that were sent, attempts that failed, mails that were set aside. */
export interface MailMetrics extends Record<'sent' | 'failed' | 'setAside', number> {}

export class MailWorker {
  readonly #parts: MailWorkerParts
  readonly #abort = new AbortController()
  readonly #endIntervals: (() => void)[] = []
  readonly #running = new Map<string, Promise<void>>()
  readonly #failing = new Set<string>()
  readonly metrics: MailMetrics = { sent: 0, failed: 0, setAside: 0 }

  constructor(parts: MailWorkerParts) {
    this.#parts = parts
  }

  start(): void {
    const { clock } = this.#parts
    const works = [
      [pollIntervalMs, 'audit logs', () => this.#read()],
      [pollIntervalMs, 'mails', () => this.#sendAll()],
      [hourMs, 'sent mails', () => this.#forget()],
    ] as const
    for (const [everyMs, name, work] of works)
      this.#endIntervals.push(clock.every(everyMs, () => this.#run(name, work)))
  }

  /** Stops. What is being sent is aborted, and sent again under its Message-ID. */
  async close(): Promise<void> {
    for (const end of this.#endIntervals) end()
    this.#abort.abort()
    await Promise.all(this.#running.values())
  }

  /** Begins a work unless it is under way. */
  #run(name: string, work: () => Promise<void>): void {
    if (this.#running.has(name)) return
    const running = work()
      .then(() => void this.#failing.delete(name))
      .catch((error: unknown) => {
        if (!this.#failing.has(name))
          this.#parts.log.warn('mail could not be prepared', { name, reason: reasonOf(error) })
        this.#failing.add(name)
      })
      .finally(() => this.#running.delete(name))
    this.#running.set(name, running)
  }

  async #read(): Promise<void> {
    while (!this.#abort.signal.aborted && (await this.#parts.reader.read()));
  }

  async #forget(): Promise<void> {
    const { sql, clock } = this.#parts
    const beforeMs = clock.now() - rememberedMs
    while ((await sql.tx((tx) => store.forgetMails(tx, beforeMs, forgottenAtOnce), 'process')) === forgottenAtOnce);
  }

  async #sendAll(): Promise<void> {
    const { sql, clock } = this.#parts
    while (!this.#abort.signal.aborted) {
      const nowMs = clock.now()
      const due = await store.dueMail(sql, nowMs)
      if (!due) return
      const lease = { untilMs: nowMs + leaseMs, bundled: Object.keys(mailKinds), maxSingle, maxBundled }
      const leased = await sql.tx((tx) => store.leaseMail(tx, due, lease), 'process')
      if (leased.length > 0 && !(await this.#send(leased))) return
    }
  }

  /** Sends the mails of a message. Returns whether the server takes others. */
  async #send(leased: readonly MailRow[]): Promise<boolean> {
    const written = []
    for (const row of leased) {
      const mail = await this.#write(row)
      if (mail) written.push({ row, ...mail })
    }
    const [first] = written
    if (!first) return true
    const { smtp, publicUrl } = this.#parts
    const letters = written.map(({ letter }) => letter)
    const { orgSlug } = contentOf(first.row)
    const letter = letters.length === 1 ? first.letter : digestOf(letters, orgSlug, `${publicUrl}/o/${orgSlug}`)
    const footer = isChosen(first.row.kind as AnyMailKind)
      ? `Choose which mails you get: ${publicUrl}/o/${orgSlug}/account`
      : `Sent by ${publicUrl}`
    const { host } = new URL(publicUrl)
    const message = {
      id: `${first.row.message}@${host.replace(/:.*/, '')}`,
      to: first.email,
      ...layOut(letter, footer),
    }
    const { signal } = this.#abort
    const refusal = await smtp.send(message, signal)
    if (!refusal) {
      this.metrics.sent++
      await this.#end(written, 'sent')
      return true
    }
    // A message that was aborted says nothing about the server.
    if (signal.aborted) return false
    this.metrics.failed++
    if (refusal.isFinal) await this.#end(written, 'set aside', refusal.failure)
    else await this.#retry(first.row, refusal.failure)
    return refusal.of === 'message'
  }

  async #retry(row: MailRow, failure: string): Promise<void> {
    const { sql, clock, log, random } = this.#parts
    log.warn('a mail was not accepted and will be sent again', { name: row.id, reason: failure })
    const nextAttemptAtMs = clock.now() + backoffMs(row.attempts, random(), backoff)
    await sql.tx((tx) => store.retryMail(tx, row, { failure, nextAttemptAtMs }), 'process')
  }

  /** Ends mails. Those that are set aside were not sent, and are not tried again. */
  async #end(
    mails: readonly { readonly row: MailRow }[],
    outcome: MailOutcome,
    failure: string | null = null,
  ): Promise<void> {
    const { sql, clock, log } = this.#parts
    const nowMs = clock.now()
    await sql.tx(async (tx) => {
      for (const { row } of mails) await store.endMail(tx, row, { outcome, failure, nowMs })
    }, 'process')
    if (outcome !== 'set aside') return
    this.metrics.setAside += mails.length
    for (const { row } of mails) log.error('a mail was set aside', { name: row.id, reason: failure ?? '' })
  }

  /** Writes a mail by the rules of this moment. Ends it and returns undefined if it is not to be sent. */
  async #write(row: MailRow): Promise<{ readonly letter: Letter; readonly email: string } | undefined> {
    const { clock, links, named } = this.#parts
    if (clock.now() >= row.expires_at_ms) {
      const isFailing = row.attempts > 0
      await this.#end(
        [{ row }],
        isFailing ? 'set aside' : 'dropped',
        isFailing ? 'it failed until it was of no use' : null,
      )
      return undefined
    }
    const email = await this.#emailOf(row)
    if (email === undefined) {
      await this.#end([{ row }], 'dropped')
      return undefined
    }
    const link = row.link === null ? await this.#linkOf(row, email) : links.open(row.id, row.link)
    if (link === undefined && row.kind === 'reset') return undefined
    const content = contentOf(row)
    const { actor } = content
    const people = actor === undefined ? undefined : await named([actor])
    const facts = { content, actor: people?.get(actor ?? ''), link }
    return { letter: letterOf(row.kind as AnyMailKind, facts), email }
  }

  /** Creates the link of a reset, and stores it before it is sent: a second one would void the first. */
  async #linkOf(row: MailRow, email: string): Promise<string | undefined> {
    if (row.kind !== 'reset') return undefined
    const { sql, resetLinkOf, links } = this.#parts
    const link = await resetLinkOf(email)
    if (link === undefined) {
      await this.#end([{ row }], 'dropped')
      return undefined
    }
    const isOurs = await sql.tx((tx) => store.setMailLink(tx, row, links.seal(row.id, link)), 'process')
    return isOurs ? link : undefined
  }

  /** Returns the address of the recipient; undefined if the mail is not for this person, or not wanted. */
  async #emailOf(row: MailRow): Promise<string | undefined> {
    const { sql, audience, named } = this.#parts
    const [, way, id = ''] = /^(user|email):(.*)$/.exec(row.recipient) ?? []
    if (way === 'email') return id
    const kind = row.kind as AnyMailKind
    if (!isChosen(kind)) return (await named([id])).get(id)?.email
    if ((JSON.parse(await store.mailsOff(sql, id)) as string[]).includes(kind)) return undefined
    const orgId = row.org_id ?? ''
    const idpOrgId = await idpOrgIdOf(sql, orgId)
    if (idpOrgId === undefined) return undefined
    return (await audience.of({ orgId, idpOrgId }, kind, contentOf(row))).find((member) => member.id === id)?.email
  }
}

function contentOf({ content }: MailRow): MailContent {
  return JSON.parse(content) as MailContent
}
