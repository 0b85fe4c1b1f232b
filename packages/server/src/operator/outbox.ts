/** The commands that show what waits to be sent to other systems, and send it again. Each kind is a row of `outboxes`. */
import type { OutboxState } from '../base/outbox-state.ts'
import { undelivered, retryStreams, waitsSinceMs } from '../storage/audit-stream.ts'
import { pendingReports, retryPendingReports, retryRefusedReports, setAsideReports } from '../storage/billing.ts'
import { retryHooks, waitingHooks } from '../storage/hooks.ts'
import { openMails, retryMails } from '../storage/mails.ts'
import type { Reader, Tx } from '../storage/sql.ts'
import { usage } from './command-error.ts'
import { storeCommand } from './command.ts'

/** What waits for one receiver, or was set aside. */
interface OutboxItem {
  readonly id: string
  /** Slug of the organization. */
  readonly organization: string
  /** How many messages wait, and since when the oldest does. */
  readonly waiting: number
  readonly oldestAtMs: number | undefined
  /** Why the last attempt failed, or why it was set aside; undefined if neither. */
  readonly reason: string | undefined
  /** Whether nothing is sent until a person decides. */
  readonly isSetAside: boolean
}

interface Outbox {
  readonly read: (sql: Reader) => Promise<OutboxItem[]>
  /** Makes what failed due again. Returns the ids. */
  readonly retry: (tx: Tx, nowMs: number) => Promise<string[]>
}

/** What the service sends to other systems, by name. */
const outboxes: Readonly<Record<string, Outbox>> = {
  billing: {
    read: async (sql) => [
      ...(await pendingReports(sql)).map(({ id, organization, at_ms: oldestAtMs, failure }) => {
        return { id, organization, waiting: 1, oldestAtMs, reason: failure ?? undefined, isSetAside: false }
      }),
      ...(await setAsideReports(sql)).map(({ id, organization, state, failure }) => {
        const reason = failure === null ? state : `${state}: ${failure}`
        return { id, organization, waiting: 0, oldestAtMs: undefined, reason, isSetAside: true }
      }),
    ],
    // Reports whose outcome is unclear might be billed twice, so they are sent again one by one (billing retry).
    retry: async (tx, nowMs) => [
      ...(await retryPendingReports(tx, nowMs)),
      ...(await retryRefusedReports(tx, nowMs)).map(({ id }) => id),
    ],
  },
  webhooks: {
    read: async (sql) =>
      (await waitingHooks(sql)).map((row) => {
        const { id, organization } = row
        const reason = row.failure ?? undefined
        // It goes on with what happens after a person has switched it on.
        if (row.off_since_ms !== null)
          return { id, organization, waiting: 0, oldestAtMs: undefined, reason, isSetAside: true }
        const oldestAtMs = row.oldest_at_ms ?? undefined
        return { id, organization, waiting: row.entries, oldestAtMs, reason, isSetAside: false }
      }),
    retry: retryHooks,
  },
  mail: {
    read: async (sql) =>
      (await openMails(sql)).map(({ id, organization, created_at_ms: createdAtMs, failure, outcome }) => {
        const isSetAside = outcome !== null
        const oldestAtMs = isSetAside ? undefined : createdAtMs
        return { id, organization, waiting: isSetAside ? 0 : 1, oldestAtMs, reason: failure ?? undefined, isSetAside }
      }),
    retry: retryMails,
  },
  'audit-stream': {
    read: async (sql) =>
      (await undelivered(sql)).map((row) => ({
        id: row.org_id,
        organization: row.organization,
        waiting: row.entries,
        oldestAtMs: waitsSinceMs(row),
        reason: row.failure ?? undefined,
        isSetAside: false,
      })),
    retry: retryStreams,
  },
}

/** What waits in an outbox. */
interface OutboxTotals extends OutboxState {
  readonly items: readonly OutboxItem[]
}

/** Returns what waits in each outbox. What was left when the audit stream was switched off waits for nothing. */
export async function readOutboxes(
  sql: Reader,
  { hasAuditStream }: { hasAuditStream: boolean },
): Promise<OutboxTotals[]> {
  const all: OutboxTotals[] = []
  for (const [outbox, { read }] of Object.entries(outboxes)) {
    if (outbox === 'audit-stream' && !hasAuditStream) continue
    const items = await read(sql)
    const times = items.flatMap(({ oldestAtMs }) => oldestAtMs ?? [])
    all.push({
      outbox,
      waiting: items.reduce((sum, { waiting }) => sum + waiting, 0),
      setAside: items.filter(({ isSetAside }) => isSetAside).length,
      oldestAtMs: times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b)),
      items,
    })
  }
  return all
}

export const outbox = storeCommand({
  name: 'outbox',
  summary:
    'Show what waits to be sent to the billing system, webhooks, mail and the audit stream, and what was set aside',
  examples: [['outbox', 'with age and reason, and only items that failed or were set aside']],
  async runOnStore({ sql, clock, hasAuditStream }) {
    const nowMs = clock.now()
    const secondsSince = (atMs: number | undefined): number | null =>
      atMs === undefined ? null : Math.max(0, Math.round((nowMs - atMs) / 1_000))
    return (await readOutboxes(sql, { hasAuditStream })).map(({ oldestAtMs, items, ...totals }) => ({
      ...totals,
      oldestSeconds: secondsSince(oldestAtMs),
      failed: items
        .filter(({ reason, isSetAside }) => reason !== undefined || isSetAside)
        .map(({ oldestAtMs: itemAtMs, reason = null, ...item }) => ({
          ...item,
          reason,
          oldestSeconds: secondsSince(itemAtMs),
        }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    }))
  },
})

export const outboxRetry = storeCommand<{ outbox?: string }>({
  name: 'outbox retry',
  args: [['[OUTBOX]', `${Object.keys(outboxes).join(', ')} (default: all)`]],
  summary: 'Send again now what failed, and usage reports that were refused',
  examples: [['outbox retry audit-stream', 'after its receiver works again, without waiting']],
  async runOnStore({ sql, clock }, { outbox: name }) {
    const chosen = name === undefined ? Object.values(outboxes) : [outboxes[name]]
    const again: string[] = []
    for (const each of chosen) {
      if (!each) throw usage(`Unknown OUTBOX (expected ${Object.keys(outboxes).join(', ')}).`, 'outbox retry')
      again.push(...(await sql.tx((tx) => each.retry(tx, clock.now()))))
    }
    return { again: again.toSorted() }
  },
})
