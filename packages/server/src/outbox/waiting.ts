/** What waits in each outbox, for the metrics and for the operator's commands. */
import { streamTable, undelivered, waitsSinceMs } from '../storage/audit-stream.ts'
import { pendingReports, reportTable, retryRefusedReports, setAsideReports } from '../storage/billing.ts'
import { hookTable, waitingHooks } from '../storage/hooks.ts'
import { retryRows } from '../storage/leases.ts'
import { mailTable, openMails } from '../storage/mails.ts'
import type { Reader, Tx } from '../storage/sql.ts'

/** What waits for one receiver, or was set aside. */
interface OutboxItem {
  readonly id: string
  /** Slug of the organization. */
  readonly organization: string
  /** How many messages wait, and since when the oldest does. */
  readonly waiting: number
  readonly oldestAtMs: number | undefined
  /** Since when deliveries fail. */
  readonly failingSinceMs?: number | undefined
  /** Why the last attempt failed, or why it was set aside; undefined if neither. */
  readonly reason: string | undefined
  /** Whether nothing is sent until a person decides. */
  readonly isSetAside: boolean
}

interface WaitingRows {
  readonly read: (sql: Reader) => Promise<OutboxItem[]>
  /** Makes what failed due again. Returns the ids. */
  readonly retry: (tx: Tx, nowMs: number) => Promise<string[]>
}

/** What the service sends to other systems, by name. */
export const outboxes: Readonly<Record<string, WaitingRows>> = {
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
      ...(await retryRows(tx, reportTable, nowMs)),
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
        const failingSinceMs = row.failing_since_ms ?? undefined
        return { id, organization, waiting: row.entries, oldestAtMs, failingSinceMs, reason, isSetAside: false }
      }),
    retry: (tx, nowMs) => retryRows(tx, hookTable, nowMs),
  },
  mail: {
    read: async (sql) =>
      (await openMails(sql)).map(({ id, organization, created_at_ms: createdAtMs, failure, outcome }) => {
        const isSetAside = outcome !== null
        const oldestAtMs = isSetAside ? undefined : createdAtMs
        return { id, organization, waiting: isSetAside ? 0 : 1, oldestAtMs, reason: failure ?? undefined, isSetAside }
      }),
    retry: (tx, nowMs) => retryRows(tx, mailTable, nowMs),
  },
  'audit-stream': {
    read: async (sql) =>
      (await undelivered(sql)).map((row) => ({
        id: row.org_id,
        organization: row.organization,
        waiting: row.entries,
        oldestAtMs: waitsSinceMs(row),
        failingSinceMs: row.failing_since_ms ?? undefined,
        reason: row.failure ?? undefined,
        isSetAside: false,
      })),
    retry: (tx, nowMs) => retryRows(tx, streamTable, nowMs),
  },
}

/** What waits to be sent to one kind of receiver. */
export interface OutboxState {
  readonly outbox: string
  readonly waiting: number
  readonly setAside: number
  readonly oldestAtMs: number | undefined
}

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
