/** What applies without a grant: the default role of members, and which stages are protected from what is granted around them. */
import {
  allows,
  builtInRoles,
  guardedVerbs,
  type DefaultRole,
  type Request,
  type Response,
  type Verb,
} from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import { placeExists, setDefaultRole, setProtected } from '../storage/access.ts'
import type { Reader } from '../storage/sql.ts'
import type { Access } from './access.ts'
import type { ChangeRequest } from './change-request.ts'
import { noPlace } from './grants.ts'
import type { Policy, Principal } from './policy.ts'
import { namedPrincipal } from './principals.ts'

type Losing = Response<'stageProtect'>['losing']

export class Defaults {
  readonly #sql: Reader
  readonly #access: Access
  readonly #clock: Clock

  constructor({ sql, access, clock }: { sql: Reader; access: Access; clock: Clock }) {
    this.#sql = sql
    this.#access = access
    this.#clock = clock
  }

  /** Sets the role of every member. */
  async setRole({ actor, permissions: { policy } }: ChangeRequest, role: DefaultRole): Promise<void> {
    await this.#access.change(policy, actor, async (tx) => {
      await setDefaultRole(tx, policy.id, role)
      return [{ action: 'organization.update', subject: `defaultRole ${policy.defaultRole} ${role}` }]
    })
  }

  /**
   * Protects a stage or ends its protection, and returns who loses verbs there. Throws NOT_FOUND, and CONFIRMATION_REQUIRED for the
   * end of a protection.
   */
  async protect(by: ChangeRequest, request: Omit<Request<'stageProtect'>, 'orgSlug'>): Promise<Losing> {
    const { actor, permissions } = by
    const { policy } = permissions
    const { projectSlug, stageSlug, isProtected, dryRun } = request
    const stage = { projectSlug, stageSlug }
    if (!(await placeExists(this.#sql, policy.id, stage))) throw noPlace(stage)
    const before = policy.isProtected(stage)
    const losing = isProtected && !before ? losingVerbs(policy, stage, this.#clock.now()) : []
    if (dryRun || before === isProtected) return losing
    if (before) by.assertConfirmed()
    await this.#access.change(policy, actor, async (tx) => {
      if (!(await setProtected(tx, policy.id, projectSlug, stageSlug, isProtected))) throw noPlace(stage)
      return [{ action: 'stage.protect', ...stage, subject: `isProtected ${before} ${isProtected}` }]
    })
    return losing
  }
}

/** Returns who would lose which verbs if a stage were protected. */
function losingVerbs(policy: Policy, stage: { projectSlug: string; stageSlug: string }, nowMs: number): Losing {
  const lostBy = (grants: Parameters<typeof allows>[0]): Verb[] =>
    guardedVerbs.filter(
      (verb) => allows(grants, verb, stage, nowMs) && !allows(grants, verb, { ...stage, isProtected: true }, nowMs),
    )
  const { defaultRole } = policy
  const byDefault = defaultRole === 'none' ? [] : lostBy([{ verbs: builtInRoles[defaultRole] }])
  const principals = new Set<Principal>(policy.grants.map(({ principal }) => principal))
  const others = [...principals].map((principal) => ({
    principal: namedPrincipal(principal),
    verbs: lostBy(policy.grantsOf(principal)),
  }))
  return [{ verbs: byDefault }, ...others].filter(({ verbs }) => verbs.length > 0)
}
