/**
 * What people may not do who did not sign in as their organizations require: at their company (docs/sign-in/company-only.md), or
 * with a second factor (docs/sign-in/second-factor.md). The service refuses their requests itself (`access/access.ts`); this is about
 * the provider's own endpoints.
 */
import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { lackOf, type RequiredSignIn, type SignIn } from '../auth/sign-in.ts'
import { signInRulesOf } from '../storage/access.ts'
import type { Reader } from '../storage/sql.ts'
import { highestRole, type Directory } from './directory.ts'
import type { Change, Row } from './watched-adapter.ts'

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

/** Returns what a session is for an organization. A password counts as much as the account has a second factor. */
export async function signInOf(directory: Directory, session: SessionRow, orgSlug: string): Promise<SignIn> {
  const { method, companyOf, userId } = session
  if (companyOf === '*' || companyOf === orgSlug) return 'company'
  // Who turns the second factor on ends the person's other sessions, so each one of a password has passed it.
  const hasPassed = method === 'passkey' || (method === 'password' && (await directory.hasSecondFactor(String(userId))))
  return hasPassed ? 'second-factor' : 'other'
}

const code = 'COMPANY_SIGN_IN_REQUIRED'

const companyRequired = (): APIError =>
  new APIError('FORBIDDEN', {
    code,
    message: 'This organization requires that you sign in at your company: sign in with one of its buttons.',
  })

const secondFactorMissing = (): APIError =>
  new APIError('FORBIDDEN', {
    code: 'SECOND_FACTOR_MISSING',
    message:
      'This organization requires a second factor: open it in the web application to set one up, or sign in with a passkey, then repeat it.',
  })

/** Returns whether an error says that the person did not sign in at the company. */
export function isCompanyRequired(error: unknown): boolean {
  return error instanceof APIError && error.body?.['code'] === code
}

function isActing({ path }: { path?: string }): boolean {
  return path !== undefined && actingPaths.has(path)
}

export class EntryRules {
  readonly #sql: Reader
  readonly #directory: Directory

  constructor({ sql, directory }: { sql: Reader; directory: Directory }) {
    this.#sql = sql
    this.#directory = directory
  }

  /** Returns the rules of those of the organizations that not every sign-in opens. */
  async #rulesOf(orgIds: readonly string[]): Promise<Map<string, RequiredSignIn>> {
    const rows = await signInRulesOf(this.#sql, orgIds)
    const byOrganization = Map.groupBy(rows, ({ idp_org_id: id }) => id)
    return new Map(
      [...byOrganization].map(([id, of]) => [
        id,
        {
          isCompanyOnly: of.some(({ company_sign_in: isOn }) => isOn === 1),
          breakGlass: new Set(of.flatMap(({ user_id: user }) => user ?? [])),
          needsSecondFactor: of.some(({ second_factor: isOn }) => isOn === 1),
        },
      ]),
    )
  }

  /** Throws an APIError if every organization of the user requires a sign-in at the company, so another one would open nothing. */
  async assertOtherWay(userId: string): Promise<void> {
    const orgIds = (await this.#directory.rolesOf(userId)).map(({ orgId }) => orgId)
    if (orgIds.length === 0) return
    const rules = await this.#rulesOf(orgIds)
    if (orgIds.every((orgId) => needsCompany(rules.get(orgId), userId))) throw companyRequired()
  }

  /** Throws an APIError if a member has no use for a password in the organization. */
  async assertPasswordOf({ organizationId, userId }: { organizationId: string; userId: string }): Promise<void> {
    if (!needsCompany((await this.#rulesOf([organizationId])).get(organizationId), userId)) return
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
      const breakGlass = (await this.#rulesOf([orgId])).get(orgId)?.breakGlass ?? new Set<string>()
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
    return { id: 'entry-rules', hooks: { before: [{ matcher: isActing, handler }] } }
  }

  async #assertMayAct(
    ctx: Pick<GenericEndpointContext, 'body' | 'query' | 'path'>,
    session: SessionRow,
  ): Promise<void> {
    const orgId = await this.#organizationOf({ ...(ctx.query as object), ...(ctx.body as object) }, session)
    const organization = orgId === undefined ? undefined : await this.#directory.organization(orgId)
    const rules = organization && (await this.#rulesOf([organization.id])).get(organization.id)
    if (!rules) return
    const lack = lackOf(rules, String(session['userId']), await signInOf(this.#directory, session, organization.slug))
    if (lack) throw lack === 'company' ? companyRequired() : secondFactorMissing()
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

/** Returns whether a user can act in an organization only after a sign-in at its company. */
function needsCompany(rules: RequiredSignIn | undefined, userId: string): boolean {
  return rules !== undefined && lackOf(rules, userId, 'other') === 'company'
}
