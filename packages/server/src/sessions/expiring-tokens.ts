import { setImmediate as nextTurn } from 'node:timers/promises'
import { msPerDay, type Clock } from '../base/clock.ts'
import { systemActorOf } from '../storage/actor.ts'
import { appendAudit } from '../storage/audit.ts'
import { expiringTokens, markAnnounced } from '../storage/service-tokens.ts'
import type { Sql } from '../storage/sql.ts'

const withinMs = 7 * msPerDay
const batchSize = 100

/** Records the service tokens that end in seven days in the audit log, each once, also if several nodes do so at the same time. */
export async function announceExpiringTokens(sql: Sql, clock: Clock): Promise<void> {
  for (let found = batchSize; found === batchSize;) {
    const nowMs = clock.now()
    const tokens = await expiringTokens(sql, { nowMs, withinMs, limit: batchSize })
    for (const token of tokens) {
      const {
        id,
        org_id: orgId,
        name,
        project_slug: projectSlug,
        stage_slug: stageSlug,
        expires_at_ms: expiresAtMs,
      } = token
      await sql.tx(async (tx) => {
        if (!(await markAnnounced(tx, id, expiresAtMs))) return
        await appendAudit(tx, systemActorOf({ orgId, userId: token.created_by }, 'service token ends soon'), {
          action: 'token.expiring',
          nowMs,
          facts: { tokenId: id, name, expiresAtMs },
          ...(projectSlug !== null && { projectSlug }),
          ...(stageSlug !== null && { stageSlug }),
        })
      })
      await nextTurn()
    }
    found = tokens.length
  }
}
