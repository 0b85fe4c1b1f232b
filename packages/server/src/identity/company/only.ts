/**
 * What people may not do who did not sign in at their company, in organizations that require it (docs/sign-in/company-only.md). The
 * service refuses their requests itself (`access/access.ts`); this is about the provider's own endpoints.
 */
import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { companyOnlyOf } from '../../storage/access.ts'
import type { Reader } from '../../storage/sql.ts'
import { highestRole, type Directory } from '../directory.ts'
import type { Change, Row } from '../watched-adapter.ts'

/** Paths that act in the organization that the session has opened, unless the request names another. */
export const actingPaths: ReadonlySet<string> = new Set([
  '/organization/update',
  '/organization/list-members',
  '/organization/invite-member',
  '/organization/list-invitations',
  '/organization/cancel-invitation',
  '/organization/remove-member',
  '/organization/update-member-role',
  '/links/invite',
  '/links/reset',
  '/company/members',
])

/** A browser's session, with the organizations for which it is a sign-in at the company. */
interface SessionRow {
  readonly [field: string]: unknown
}

/** Returns whether a session is a sign-in at the company of an organization. */
export function isCompanySession({ companyOf }: SessionRow, orgSlug: string): boolean {
  return companyOf === '*' || companyOf === orgSlug
}

const code = 'COMPANY_SIGN_IN_REQUIRED'

const required = (): APIError =>
  new APIError('FORBIDDEN', {
    code,
    message: 'This organization requires that you sign in at your company: sign in with one of its buttons.',
  })

/** Returns whether an error says that the person did not sign in at the company. */
export function isCompanyRequired(error: unknown): boolean {
  return error instanceof APIError && error.body?.['code'] === code
}

function isActing({ path }: { path?: string }): boolean {
  return path !== undefined && actingPaths.has(path)
}

export class CompanyOnly {
  readonly #sql: Reader
  readonly #directory: Directory

  constructor({ sql, directory }: { sql: Reader; directory: Directory }) {
    this.#sql = sql
    this.#directory = directory
  }

  /** Returns the excepted users of those of the organizations that require a sign-in at the company. */
  async #breakGlassOf(orgIds: readonly string[]): Promise<Map<string, Set<string>>> {
    const rows = await companyOnlyOf(this.#sql, orgIds)
    const byOrganization = Map.groupBy(rows, ({ idp_org_id: id }) => id)
    return new Map([...byOrganization].map(([id, of]) => [id, new Set(of.flatMap(({ user_id: user }) => user ?? []))]))
  }

  /** Returns whether a user may act in an organization without a sign-in at the company. */
  async #mayEnter(orgId: string, userId: string): Promise<boolean> {
    const breakGlass = (await this.#breakGlassOf([orgId])).get(orgId)
    return breakGlass === undefined || breakGlass.has(userId)
  }

  /** Throws an APIError if every organization of the user requires a sign-in at the company, so another one would open nothing. */
  async assertOtherWay(userId: string): Promise<void> {
    const orgIds = (await this.#directory.rolesOf(userId)).map(({ orgId }) => orgId)
    if (orgIds.length === 0) return
    const rules = await this.#breakGlassOf(orgIds)
    if (orgIds.every((orgId) => rules.get(orgId)?.has(userId) === false)) throw required()
  }

  /** Throws an APIError if a member has no use for a password in the organization. */
  async assertPasswordOf({ organizationId, userId }: { organizationId: string; userId: string }): Promise<void> {
    if (await this.#mayEnter(organizationId, userId)) return
    throw new APIError('FORBIDDEN', {
      code,
      message:
        'This organization requires that its members sign in at their company: a new password would open nothing.',
    })
  }

  /**
   * Refuses to remove the last excepted owner of an organization, or to make them less. Called before the change, in its
   * transaction.
   */
  async before({ operation, data, rows }: Change): Promise<void> {
    const { role } = data
    const isDemotion = operation === 'member update' && typeof role === 'string' && highestRole(role) !== 'owner'
    if (operation !== 'member delete' && !isDemotion) return
    for (const member of await rows()) await this.#assertNotLast(member)
  }

  async #assertNotLast({ organizationId, userId }: Row): Promise<void> {
    const [orgId, leaving] = [String(organizationId), String(userId)]
    const breakGlass = await this.#lockedBreakGlassOf(orgId, leaving)
    if (!breakGlass.has(leaving)) return
    const others = [...breakGlass].filter((id) => id !== leaving)
    for (const id of others) if ((await this.#directory.membership(orgId, id))?.role === 'owner') return
    throw new APIError('BAD_REQUEST', {
      code: 'LAST_BREAK_GLASS_OWNER',
      message:
        'This is the only owner who may sign in without the company: first except another owner, or end “company sign-in only”.',
    })
  }

  /**
   * Returns the excepted users of an organization, after locking them and the user who leaves. Who changes the rules locks the users
   * that they except, so the rules stay what they are.
   */
  async #lockedBreakGlassOf(orgId: string, leaving: string): Promise<ReadonlySet<string>> {
    for (let locked = ''; ;) {
      const breakGlass = (await this.#breakGlassOf([orgId])).get(orgId) ?? new Set<string>()
      // A fixed order prevents deadlocks.
      const ids = [...new Set([leaving, ...breakGlass])].toSorted()
      if (ids.join(' ') === locked) return breakGlass
      for (const id of ids) await this.#directory.lock(id)
      locked = ids.join(' ')
    }
  }

  plugin(): BetterAuthPlugin {
    const handler = createAuthMiddleware(async (ctx) => {
      const current = await getSessionFromCtx(ctx)
      // The endpoint itself refuses requests without a session.
      if (current) await this.#assertMayAct(ctx, current.session)
    })
    return { id: 'company-only', hooks: { before: [{ matcher: isActing, handler }] } }
  }

  async #assertMayAct(
    ctx: Pick<GenericEndpointContext, 'body' | 'query' | 'path'>,
    session: SessionRow,
  ): Promise<void> {
    const orgId = await this.#organizationOf({ ...(ctx.query as object), ...(ctx.body as object) }, session)
    const organization = orgId === undefined ? undefined : await this.#directory.organization(orgId)
    if (!organization || isCompanySession(session, organization.slug)) return
    if (!(await this.#mayEnter(organization.id, String(session['userId'])))) throw required()
  }

  async #organizationOf(request: SessionRow, session: SessionRow): Promise<string | undefined> {
    const { organizationId, memberId, memberIdOrEmail, invitationId } = request
    if (typeof organizationId === 'string') return organizationId
    if (typeof invitationId === 'string') return (await this.#directory.invitation(invitationId))?.organizationId
    const member = [memberId, memberIdOrEmail].find((id) => typeof id === 'string')
    const found = member === undefined ? undefined : await this.#directory.member(member)
    const active = session['activeOrganizationId']
    return found?.organizationId ?? (typeof active === 'string' ? active : undefined)
  }
}
