/**
 * Writes mails about what audit logs tell: an outbox whose messages go to the outbox of mails. The transaction that writes them moves the
 * position in the log, which is the fence: each entry is read once, whichever nodes read it.
 */
import type { AuditAction, MailKind } from '@rollkey/contract'
import type { Clock } from '../../base/clock.ts'
import type { Outbox, Sending } from '../../outbox/outbox-worker.ts'
import { entriesAfter } from '../../storage/hooks.ts'
import type { DueRow } from '../../storage/leases.ts'
import { advanceMailPosition, insertMail, logBehind, logsBehind, type LogBehind } from '../../storage/mails.ts'
import type { Sql, Tx } from '../../storage/sql.ts'
import { eventsOf, tellable, type ReadEvent } from '../events.ts'
import type { Audience } from './audience.ts'
import { mailRow, type MailContent } from './kinds.ts'

const pageSize = 100
/** Entries before the end from which a log is read that was never read. */
const firstEntries = 1_000
/** Entries older than this tell no one anything, such as those from before there was mail. */
const maxAgeMs = 60 * 60_000

/** The mail that each action brings. */
const kindOf: Readonly<Partial<Record<AuditAction, MailKind>>> = {
  'change.propose': 'approval',
  'change.edit': 'approval',
  'change.apply': 'applied',
  'change.fail': 'failed',
  'hook.off': 'hook',
  'token.expiring': 'token',
  'secret.due': 'secret',
}

/** The page of the settings about a kind. */
const settingsOf = { hook: 'settings', token: 'settings/tokens' } as const

/** What the entries have of which there are mails. */
interface Facts {
  readonly changeId?: string
  readonly hookId?: string
  readonly tokenId?: string
  readonly name?: string
  readonly expiresAtMs?: number
  readonly dueAtMs?: number
  readonly owner?: string
}

type MailToWrite = ReturnType<typeof mailRow>

interface LogReaderParts {
  readonly sql: Sql
  readonly audience: Audience
  readonly publicUrl: string
  readonly clock: Clock
}

export class LogReader implements Outbox<LogBehind> {
  readonly name = 'logs for mail'
  readonly due = logsBehind
  readonly everyLooks = 2
  readonly places = 8
  readonly leaseMs = 0
  readonly #parts: LogReaderParts

  constructor(parts: LogReaderParts) {
    this.#parts = parts
  }

  lease(tx: Tx, { org_id: orgId }: DueRow): Promise<LogBehind | undefined> {
    return logBehind(tx, orgId)
  }

  /** Reads a log to its end. */
  async send(row: LogBehind, { signal }: Sending): Promise<boolean> {
    let log: LogBehind | undefined = row
    while (log && !signal.aborted) log = await this.#read(log)
    return true
  }

  /** Reads a page of a log. Returns the log after it; undefined at its end, or if another node has read it. */
  async #read(log: LogBehind): Promise<LogBehind | undefined> {
    const { sql, publicUrl, clock } = this.#parts
    const { org_id: orgId, org_slug: orgSlug } = log
    const position = log.position ?? Math.max(0, log.seq - firstEntries)
    const page = await entriesAfter(sql, orgId, position, pageSize)
    const entries = tellable(page, pageSize)
    const end = entries.at(-1)?.seq ?? log.seq
    const nowMs = clock.now()
    const rows: MailToWrite[] = []
    for (const event of eventsOf({ orgId, orgSlug, publicUrl }, entries)) {
      const isOld = nowMs - Date.parse(event.event.timestamp) > maxAgeMs
      if (!isOld) rows.push(...(await this.#rowsOf(log, event, nowMs)))
    }
    const isOurs = await sql.tx(async (tx) => {
      if (!(await advanceMailPosition(tx, log, end))) return false
      for (const row of rows) await insertMail(tx, row)
      return true
    }, 'process')
    return isOurs && page.length === pageSize ? { ...log, position: end } : undefined
  }

  async #rowsOf(log: LogBehind, { event: { data } }: ReadEvent, nowMs: number): Promise<MailToWrite[]> {
    const kind = data.actions.map((action) => kindOf[action]).find((each) => each !== undefined)
    if (kind === undefined) return []
    const { orgSlug, projectSlug, stageSlug, names, nameCount, url, facts = {}, actor, how } = data
    const { changeId, hookId, tokenId, name, expiresAtMs, dueAtMs, owner } = facts as Facts
    const isPerson = how === 'provider' || how === 'session'
    const content: MailContent = {
      orgSlug,
      projectSlug,
      stageSlug,
      names: names?.slice(0, 5),
      nameCount,
      changeId,
      name,
      url: kind === 'hook' || kind === 'token' ? `${url.slice(0, url.lastIndexOf('/'))}/${settingsOf[kind]}` : url,
      actor: isPerson ? actor : undefined,
      ...(kind === 'token' && { createdBy: actor, atMs: expiresAtMs }),
      ...(kind === 'secret' && { owner, atMs: dueAtMs }),
    }
    const { org_id: orgId, idp_org_id: idpOrgId } = log
    // The end of a token after a rotation is another one, and so is the next rotation of a secret.
    const variable = `${projectSlug}/${stageSlug}/${names?.[0]}`
    const thing = changeId ?? hookId ?? (kind === 'secret' ? `${variable} ${dueAtMs}` : `${tokenId} ${expiresAtMs}`)
    const members = await this.#parts.audience.of({ orgId, idpOrgId }, kind, content)
    return members.map(({ id }) => mailRow(kind, { orgId, recipient: `user:${id}`, thing, content, nowMs }))
  }
}
