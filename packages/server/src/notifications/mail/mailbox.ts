/** Writes mails about accounts, which the embedded identity provider asks for. */
import { mailKinds } from '@rollkey/contract'
import type { Clock } from '../../base/clock.ts'
import { reasonOf, type Log } from '../../base/log.ts'
import { countMails, insertMail, mailsOff, setMailsOff } from '../../storage/mails.ts'
import type { Sql } from '../../storage/sql.ts'
import { mailRow, type AnyMailKind, type MailContent } from './kinds.ts'
import type { Links } from './mail-outbox.ts'

const hourMs = 60 * 60_000
/** Maximum mails of one kind to one recipient in an hour, because others can cause them. */
const maxPerHour = 3

interface NewAccountMail {
  readonly kind: AnyMailKind
  readonly recipient: string
  readonly thing: string
  readonly content: MailContent
  /** The secret link. */
  readonly link?: string
}

export class Mailbox {
  readonly #sql: Sql
  readonly #links: Links
  readonly #publicUrl: string
  readonly #clock: Clock
  readonly #log: Log

  constructor(parts: { sql: Sql; links: Links; publicUrl: string; clock: Clock; log: Log }) {
    this.#sql = parts.sql
    this.#links = parts.links
    this.#publicUrl = parts.publicUrl
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /** Sends an invitation. */
  async invited(invitation: {
    readonly id: string
    readonly email: string
    readonly orgSlug: string
    readonly inviterId: string
    readonly link: string
  }): Promise<void> {
    const { id, email, orgSlug, inviterId: actor, link } = invitation
    const recipient = `email:${email.toLowerCase()}`
    const content = { orgSlug, actor, url: this.#publicUrl }
    await this.#add({ kind: 'invitation', recipient, thing: id, content, link })
  }

  /** Sends a link that sets a new password, if the address has an account. That is decided later, so no one learns it from the answer. */
  async resetRequested(email: string): Promise<void> {
    const recipient = `email:${email.toLowerCase()}`
    await this.#add({ kind: 'reset', recipient, thing: recipient, content: { orgSlug: '', url: this.#publicUrl } })
  }

  /** Tells a person about a sign-in in a browser that was not used for the account before. */
  async signedIn(userId: string): Promise<void> {
    const atMs = this.#clock.now()
    const content = { orgSlug: '', url: this.#publicUrl, atMs }
    await this.#add({ kind: 'sign-in', recipient: `user:${userId}`, thing: String(atMs), content })
  }

  /** Returns the kinds of mail that a person can choose. */
  async choicesOf(userId: string): Promise<{ kind: string; label: string; isOn: boolean }[]> {
    const off = JSON.parse(await mailsOff(this.#sql, userId)) as string[]
    return Object.entries(mailKinds).map(([kind, label]) => ({ kind, label, isOn: !off.includes(kind) }))
  }

  async choose(userId: string, off: readonly string[]): Promise<void> {
    await this.#sql.tx((tx) => setMailsOff(tx, userId, JSON.stringify(off)))
  }

  /** Writes a mail. The links that people hand over do the same, so what asks for it goes on without it. */
  async #add({ link, ...mail }: NewAccountMail): Promise<void> {
    const nowMs = this.#clock.now()
    const { kind, recipient } = mail
    const seal = link === undefined ? null : (id: string) => this.#links.seal(id, link)
    try {
      await this.#sql.tx(async (tx) => {
        if ((await countMails(tx, { kind, recipient, sinceMs: nowMs - hourMs })) >= maxPerHour) return
        await insertMail(tx, mailRow(kind, { ...mail, orgId: null, link: seal, nowMs }))
      }, 'process')
    } catch (error) {
      this.#log.error('a mail could not be written', { name: kind, reason: reasonOf(error) })
    }
  }
}
