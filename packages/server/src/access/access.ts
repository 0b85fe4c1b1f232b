/** The policies of organizations, in memory and always current, and the one way to change them. */
import type { Actor } from '../storage/actor.ts'
import { ApiError, deletedOrganization } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import { CoherentCache } from '../consistency/coherent-cache.ts'
import type { ReadSet } from '../consistency/read-set.ts'
import { StaleRead, type LogicalClock } from '../consistency/read-validator.ts'
import type { Caller } from '../auth/authenticate.ts'
import type { ReportedGroups } from '../auth/reported-groups.ts'
import { lackOf } from '../auth/sign-in.ts'
import { advanceAccessFrom, policyRows } from '../storage/access.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { Permissions } from './permissions.ts'
import { Policy } from './policy.ts'
import { applyReport } from './reported-membership.ts'

const maxRowsInMemory = 1_000_000

export class Access {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #cache: CoherentCache<Policy>

  constructor({ sql, clock, logicalClock }: { sql: Sql; clock: Clock; logicalClock: LogicalClock }) {
    this.#sql = sql
    this.#clock = clock
    this.#cache = new CoherentCache({ max: maxRowsInMemory, sizeOf: rowsOf, kind: 'organization', logicalClock })
  }

  /** Returns what the caller may do by grants, as a promise only if it is not in memory. Throws ORG_SCOPE_INVALID. */
  permissionsOf(caller: Caller, reads: ReadSet): Permissions | Promise<Permissions> {
    const policy = this.policyOf(caller.orgId, reads)
    if (policy instanceof Promise) return policy.then((found) => this.#permissions(caller, found))
    return this.#permissions(caller, policy)
  }

  #permissions(caller: Caller, policy: Policy): Permissions | Promise<Permissions> {
    const { userId, groups } = caller
    if (groups && policy.isBehind(`user:${userId}`, groups)) return this.#follow(caller, groups)
    return Permissions.of(caller, policy, this.#clock.now())
  }

  /** Applies what the identity provider reports about the caller's groups. Throws StaleRead, since the rules are others then. */
  async #follow(caller: Caller, groups: ReportedGroups): Promise<never> {
    try {
      await this.#sql.tx((tx) => applyReport(tx, this.#clock, caller, groups))
    } finally {
      // A commit whose answer was lost may have succeeded.
      this.forget(caller.orgId)
    }
    throw new StaleRead()
  }

  /** Returns the rules of an organization, as a promise only if they are not in memory. Throws ORG_SCOPE_INVALID. */
  policyOf(orgId: string, reads: ReadSet): Policy | Promise<Policy> {
    const policy = this.#cache.get(orgId, async () => Policy.of(orgId, await policyRows(this.#sql, orgId)), reads)
    return policy instanceof Promise ? policy.then(assertExists) : policy
  }

  /** Throws COMPANY_SIGN_IN_REQUIRED or SECOND_FACTOR_MISSING if the way in which a person signed in does not open the organization, or ORG_SCOPE_INVALID. */
  assertAdmitted(caller: Caller, reads: ReadSet): void | Promise<void> {
    // A command-line session was approved by a person who was admitted, and ends when the rules change.
    if (caller.session) return
    const decide = (policy: Policy): void => {
      const lack = lackOf(policy, caller.userId, caller.signIn ?? 'other')
      if (lack) throw new ApiError(lack === 'company' ? 'COMPANY_SIGN_IN_REQUIRED' : 'SECOND_FACTOR_MISSING')
    }
    const policy = this.policyOf(caller.orgId, reads)
    return policy instanceof Promise ? policy.then(decide) : decide(policy)
  }

  /** Drops the policy, so that it is read again. Call it before answering a change that may have been committed. */
  forget(orgId: string): void {
    this.#cache.forget(orgId)
  }

  /** Keeps the rules what they are until the transaction ends. Throws StaleRead if they are not those of `policy` anymore. */
  async hold(tx: Tx, policy: Policy): Promise<void> {
    if (await advanceAccessFrom(tx, policy.id, policy.accessRevision, 0)) return
    throw this.#stale(policy)
  }

  /**
   * Changes the rules, and records the events that the work returns. Throws StaleRead if the rules are not those of `policy` anymore,
   * on which the change was decided.
   */
  async change(policy: Policy, actor: Actor, work: (tx: Tx) => Promise<readonly AuditEvent[]>): Promise<void> {
    try {
      await this.#sql.tx(async (tx) => {
        if (!(await advanceAccessFrom(tx, policy.id, policy.accessRevision, 1))) throw this.#stale(policy)
        for (const event of await work(tx)) await appendAudit(tx, actor, { ...event, nowMs: this.#clock.now() })
      })
    } catch (error) {
      // Any other error may hide a commit.
      if (!(error instanceof StaleRead)) this.forget(policy.id)
      throw error
    }
    this.forget(policy.id)
  }

  #stale(policy: Policy): StaleRead {
    this.#cache.forgetStale(policy.id, policy)
    return new StaleRead()
  }
}

function rowsOf({ size }: Policy): number {
  return size
}

function assertExists(policy: Policy | undefined): Policy {
  if (!policy) throw deletedOrganization()
  return policy
}
