/** The outbox of mails. A node sends them one after the other, each always under its Message-ID. No request waits for the SMTP server. */
import { mailKinds } from '@rollkey/contract'
import type { PersonName } from '../../access/principals.ts'
import type { Log } from '../../base/log.ts'
import { failed, type LeaseParts } from '../../outbox/lease.ts'
import type { Outbox, Sending } from '../../outbox/outbox-worker.ts'
import { settleRow, type DueRow } from '../../storage/leases.ts'
import * as store from '../../storage/mails.ts'
import { mailTable, type MailOutcome, type MailRow } from '../../storage/mails.ts'
import { idpOrgIdOf } from '../../storage/organizations.ts'
import type { Tx } from '../../storage/sql.ts'
import type { Audience } from './audience.ts'
import { isChosen, type AnyMailKind, type MailContent } from './kinds.ts'
import { layOut } from './layout.ts'
import type { Smtp } from './smtp.ts'
import { digestOf, letterOf, type Letter } from './templates.ts'

const leaseMs = 60_000
const rules = { table: mailTable, leaseMs, backoff: { firstMs: 5_000, maxMs: 60 * 60_000 } }
/** Mails that wait for one person, of which each is a message. More are one. */
const maxSingle = 5
const maxBundled = 50

/** How the links of mails are sealed. */
export interface Links {
  seal(id: string, link: string): Buffer
  open(id: string, link: Buffer): string
}

export interface MailOutboxParts extends LeaseParts {
  readonly smtp: Pick<Smtp, 'send'>
  readonly audience: Pick<Audience, 'of'>
  readonly links: Links
  /** Returns the link that sets a new password of an account; undefined if there is none to send. */
  readonly resetLinkOf: (email: string) => Promise<string | undefined>
  readonly named: (userIds: readonly string[]) => Promise<ReadonlyMap<string, PersonName>>
  readonly publicUrl: string
  readonly log: Log
}

/** Values for /metrics since the start: messages that were sent, attempts that failed, mails that were set aside. */
export interface MailMetrics extends Record<'sent' | 'failed' | 'setAside', number> {}

/** A mail of the message that is being sent. */
interface Written {
  readonly row: MailRow
}

export class MailOutbox implements Outbox<readonly MailRow[]> {
  readonly name = 'mail'
  readonly due = mailTable.due
  readonly places = 1
  readonly leaseMs = leaseMs
  readonly #parts: MailOutboxParts
  readonly metrics: MailMetrics = { sent: 0, failed: 0, setAside: 0 }

  constructor(parts: MailOutboxParts) {
    this.#parts = parts
  }

  async lease(tx: Tx, due: DueRow, untilMs: number): Promise<MailRow[] | undefined> {
    const rows = await store.leaseMail(tx, due, { untilMs, bundled: Object.keys(mailKinds), maxSingle, maxBundled })
    return rows.length > 0 ? rows : undefined
  }

  /** Sends the mails of a message. Returns whether the server takes others. */
  async send(leased: readonly MailRow[], { signal, turn }: Sending): Promise<boolean> {
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
    const refusal = await turn(() => smtp.send(message, signal))
    if (!refusal) {
      this.metrics.sent++
      await this.#end(written, 'sent')
      return true
    }
    // A message that was aborted says nothing about the server.
    if (signal.aborted) return false
    this.metrics.failed++
    if (refusal.isFinal) await this.#end(written, 'set aside', refusal.failure)
    else await this.#retry(written, first.row, refusal.failure)
    return refusal.of === 'message'
  }

  async #retry(mails: readonly Written[], first: MailRow, failure: string): Promise<void> {
    this.#parts.log.warn('a mail was not accepted and will be sent again', { name: first.id, reason: failure })
    await this.#settle(mails, failed(first, failure, this.#parts, rules))
  }

  /** Stores columns of mails while their lease lasts. */
  async #settle(mails: readonly Written[], changes: Parameters<typeof settleRow>[3]): Promise<void> {
    await this.#parts.sql.tx(async (tx) => {
      for (const { row } of mails) await settleRow(tx, mailTable, row, changes)
    }, 'process')
  }

  /** Ends mails. Those that are set aside were not sent, and are not tried again. */
  async #end(mails: readonly Written[], outcome: MailOutcome, failure: string | null = null): Promise<void> {
    const { clock, log } = this.#parts
    // What has ended has no link, which is a secret.
    await this.#settle(mails, { ended_at_ms: clock.now(), outcome, failure, link: null })
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
    const isOurs = await sql.tx((tx) => settleRow(tx, mailTable, row, { link: links.seal(row.id, link) }), 'process')
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
