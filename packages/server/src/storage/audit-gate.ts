import type { AtOnceTx, Sql, Tx } from './sql.ts'

type AssertOpen = (orgId: string) => void

/** Returns the store whose transactions refuse entries of the audit log while `assertOpen` throws for their organization. */
export function withAuditGate(sql: Sql, assertOpen: AssertOpen): Sql {
  return {
    all: (text, ...params) => sql.all(text, ...params),
    tx: (work, durability) => sql.tx((tx) => work(gated(tx, assertOpen)), durability),
    atOnce: (send, durability) =>
      sql.atOnce((tx) => {
        let refusal: { readonly reason: unknown } | undefined
        const assertNoted: AssertOpen = (orgId) => {
          try {
            assertOpen(orgId)
          } catch (reason) {
            refusal = { reason }
            throw reason
          }
        }
        const sent = send({
          ...gated(tx, assertNoted),
          requiring: (otherwise) => gated(tx.requiring(otherwise), assertNoted),
        } satisfies AtOnceTx)
        if (!refusal) return sent
        // A store that sends all statements at the end must send none of them.
        for (const each of sent) each.catch(() => undefined)
        throw refusal.reason
      }, durability),
    alone: (work) => sql.alone(work),
    close: () => sql.close(),
  }
}

function gated(tx: Tx, assertAuditOpen: AssertOpen): Tx {
  return {
    all: (text, ...params) => tx.all(text, ...params),
    script: (text) => tx.script(text),
    assertAuditOpen,
    ...(tx.guard !== undefined && { guard: tx.guard }),
  }
}
