/** What applies without a grant: the default role of members, and which stages are protected from what is granted around them. */
import {
  allows,
  builtInRoles,
  guardedVerbs,
  noProtection,
  type DefaultRole,
  type Place,
  type Protection,
  type Request,
  type Response,
  type Verb,
  type VerbGrant,
} from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import { noPlace } from '../base/place-name.ts'
import { requirePlace, setDefaultRole, setProtected } from '../storage/access.ts'
import type { AuditEvent } from '../storage/audit.ts'
import { serviceTokensOf } from '../storage/service-tokens.ts'
import type { Reader } from '../storage/sql.ts'
import type { Access } from './access.ts'
import type { ChangeRequest } from './change-request.ts'
import type { Policy } from './policy.ts'
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
      const facts = { before: { defaultRole: policy.defaultRole }, after: { defaultRole: role } }
      return [{ action: 'organization.update', facts }]
    })
  }

  /**
   * Protects a stage, changes what it requires or ends its protection, and returns who loses verbs there. Throws NOT_FOUND,
   * INVALID_REQUEST for an unknown role, and CONFIRMATION_REQUIRED if the stage was protected.
   */
  async protect(by: ChangeRequest, request: Omit<Request<'stageProtect'>, 'orgSlug'>): Promise<Losing> {
    const { actor, permissions } = by
    const { policy } = permissions
    const { projectSlug, stageSlug, isProtected, dryRun, ...requested } = request
    const stage = { projectSlug, stageSlug }
    await requirePlace(this.#sql, policy.id, stage)
    const before = policy.isProtected(stage)
    const losing = isProtected && !before ? await this.#losing(policy, stage) : []
    const [former, after] = [policy.protectionOf(stage), protectionAfter(policy, stage, isProtected, requested)]
    const [formerText, text] = [textOf(former), textOf(after)]
    if (dryRun || (before === isProtected && formerText === text)) return losing
    if (before) by.assertConfirmed()
    const stored = text === textOf(noProtection) ? null : text
    await this.#access.change(policy, actor, async (tx) => {
      if (!(await setProtected(tx, policy.id, projectSlug, stageSlug, isProtected, stored))) throw noPlace(stage)
      const events: AuditEvent[] = []
      if (before !== isProtected)
        events.push({
          action: 'stage.protect',
          ...stage,
          facts: { before: { isProtected: before }, after: { isProtected } },
        })
      if (formerText !== text)
        events.push({
          action: 'stage.rules',
          ...stage,
          facts: { before: { protection: former }, after: { protection: after } },
        })
      return events
    })
    return losing
  }

  /** Returns who would lose which verbs if a stage were protected. */
  async #losing(policy: Policy, stage: Place): Promise<Losing> {
    const nowMs = this.#clock.now()
    const lostBy = (grants: readonly VerbGrant[]): Verb[] =>
      guardedVerbs.filter(
        (verb) => allows(grants, verb, stage, nowMs) && !allows(grants, verb, { ...stage, isProtected: true }, nowMs),
      )
    const { defaultRole } = policy
    const byDefault = defaultRole === 'none' ? [] : lostBy([{ verbs: builtInRoles[defaultRole] }])
    const granted = [...new Set(policy.grants.map(({ principal }) => principal))]
      .filter((principal) => !principal.startsWith('token:'))
      .map((principal) => ({ principal: namedPrincipal(principal), verbs: lostBy(policy.grantsOf(principal)) }))
    // A service token has its role without a grant, so the rules of the organization do not name it.
    const tokens = (await serviceTokensOf(this.#sql, policy.id, nowMs)).map((token) => {
      const principal = `token:${token.id}` as const
      const scope = { projectSlug: token.project_slug ?? undefined, stageSlug: token.stage_slug ?? undefined }
      const grants = [{ ...scope, verbs: builtInRoles[token.role] }, ...policy.grantsOf(principal)]
      return { principal: namedPrincipal(principal), verbs: lostBy(grants) }
    })
    return [{ verbs: byDefault }, ...granted, ...tokens].filter(({ verbs }) => verbs.length > 0)
  }
}

type Rules = { readonly [Rule in keyof Protection]?: Protection[Rule] | undefined }

/** Returns what a stage requires after a request. An unprotected stage requires nothing. Throws INVALID_REQUEST. */
function protectionAfter(policy: Policy, stage: Place, isProtected: boolean, rules: Rules): Protection {
  if (!isProtected) return noProtection
  const former = policy.protectionOf(stage)
  const { bypassRole = former.bypassRole } = rules
  if (bypassRole !== null) policy.assertRole(bypassRole)
  return {
    approvals: rules.approvals ?? former.approvals,
    selfApproval: rules.selfApproval ?? former.selfApproval,
    bypassRole,
    stopVerb: rules.stopVerb ?? former.stopVerb,
    freezes: (rules.freezes ?? former.freezes).map(({ zone, from, to }) => ({ zone, from, to })),
  }
}

/** Returns the stored text of what a stage requires. Equal rules have equal texts. */
function textOf({ approvals, selfApproval, bypassRole, stopVerb, freezes }: Protection): string {
  return JSON.stringify({ approvals, selfApproval, bypassRole, stopVerb, freezes })
}
