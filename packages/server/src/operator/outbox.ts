/** The commands that show what waits to be sent to other systems, and send it again. */
import { outboxes, readOutboxes } from '../outbox/waiting.ts'
import { usage } from './command-error.ts'
import { storeCommand } from './command.ts'

export const outbox = storeCommand({
  name: 'outbox',
  summary:
    'Show what waits to be sent to the billing system, webhooks, mail and the audit stream, and what was set aside',
  examples: [['outbox', 'with age, reason and time of failing; only failed or set-aside items']],
  async runOnStore({ sql, clock, hasAuditStream }) {
    const nowMs = clock.now()
    const secondsSince = (atMs: number | undefined): number | null =>
      atMs === undefined ? null : Math.max(0, Math.round((nowMs - atMs) / 1_000))
    return (await readOutboxes(sql, { hasAuditStream })).map(({ oldestAtMs, items, ...totals }) => ({
      ...totals,
      oldestSeconds: secondsSince(oldestAtMs),
      failed: items
        .filter(({ reason, isSetAside }) => reason !== undefined || isSetAside)
        .map(({ oldestAtMs: itemAtMs, failingSinceMs, reason = null, ...item }) => ({
          ...item,
          reason,
          oldestSeconds: secondsSince(itemAtMs),
          failingSeconds: secondsSince(failingSinceMs),
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
