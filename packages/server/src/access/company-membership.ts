/** Keeps people in the groups that companies' providers report at each sign-in. */
import type { Organizations } from '../auth/organizations.ts'
import { companyGroup, type CompanyGroupReport } from '../auth/reported-groups.ts'
import type { Clock } from '../base/clock.ts'
import { advanceAccess, reportedGroupsOf, type ReportedGroupRow } from '../storage/access.ts'
import { personActorOf } from '../storage/actor.ts'
import type { Sql } from '../storage/sql.ts'
import type { Access } from './access.ts'
import { changesTo, follow } from './reported-membership.ts'

interface CompanyMembershipParts {
  readonly sql: Sql
  readonly clock: Clock
  readonly organizations: Pick<Organizations, 'find'>
  readonly access: Pick<Access, 'forget'>
}

export class CompanyMembership {
  readonly #parts: CompanyMembershipParts

  constructor(parts: CompanyMembershipParts) {
    this.#parts = parts
  }

  /**
   * Applies a report in each organization of the person. Groups of other providers stay. The last sign-in wins: the service asks
   * the provider during each, so no report is older than one that was applied before.
   */
  async apply({ userId, organizations, provider, names }: CompanyGroupReport): Promise<void> {
    const { sql, clock, access } = this.#parts
    const reported = new Set(names.map((name) => companyGroup(provider, name)))
    for (const { id, slug } of organizations) {
      const orgId = await this.#parts.organizations.find(id, slug, (newId) => personActorOf({ orgId: newId, userId }))
      if (orgId === undefined) continue
      const changes = async (from: Pick<Sql, 'all'>): Promise<ReportedGroupRow[]> => {
        const groups = await reportedGroupsOf(from, orgId, `user:${userId}`)
        return changesTo(
          groups.filter(({ idp_group: name }) => name.startsWith(companyGroup(provider, ''))),
          reported,
        )
      }
      // Most sign-ins change nothing. Then the rules stay in the memory of all nodes.
      if ((await changes(sql)).length === 0) continue
      try {
        await sql.tx(async (tx) => {
          if (await advanceAccess(tx, orgId)) await follow(tx, clock, { orgId, userId }, await changes(tx))
        })
      } finally {
        // A commit whose answer was lost may have succeeded.
        access.forget(orgId)
      }
    }
  }
}
