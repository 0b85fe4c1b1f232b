/**
 * Writes mails about what audit logs tell, on every node. The transaction that writes them moves the position in the log, so that each
 * entry is read once, whichever nodes read it.
 */
import type { AuditAction, MailKind } from '@rollkey/contract'
import type { Clock } from '../../base/clock.ts'
import { entriesAfter } from '../../storage/hooks.ts'
import { advanceMailPosition, insertMail, logsBehind, type LogBehind } from '../../storage/mails.ts'
import type { Sql } from '../../storage/sql.ts'
import { eventsOf, tellable, type ReadEvent } from '../events.ts'
import type { Audience } from './audience.ts'
import { mailRow, type MailContent } from './kinds.ts'

const pageSize = 100
const logsPerRound = 100
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

export class LogReader {
  readonly #parts: LogReaderParts

  constructor(parts: LogReaderParts) {
    this.#parts = parts
  }

  /** Reads a page of each log that has new entries. Returns whether there may be more. */
  async read(): Promise<boolean> {
    const logs = await logsBehind(this.#parts.sql, logsPerRound)
    for (const log of logs) await this.#read(log)
    return logs.length > 0
  }

  async #read(log: LogBehind): Promise<void> {
    const { sql, publicUrl, clock } = this.#parts
    const { org_id: orgId, org_slug: orgSlug } = log
    const position = log.position ?? Math.max(0, log.seq - firstEntries)
    const entries = tellable(await entriesAfter(sql, orgId, position, pageSize), pageSize)
    const nowMs = clock.now()
    const rows: MailToWrite[] = []
    for (const event of eventsOf({ orgId, orgSlug, publicUrl }, entries)) {
      const isOld = nowMs - Date.parse(event.event.timestamp) > maxAgeMs
      if (!isOld) rows.push(...(await this.#rowsOf(log, event, nowMs)))
    }
    await sql.tx(async (tx) => {
      if (!(await advanceMailPosition(tx, log, entries.at(-1)?.seq ?? log.seq))) return
      for (const row of rows) await insertMail(tx, row)
    }, 'process')
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
