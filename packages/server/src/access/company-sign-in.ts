/** Whether an organization requires that people sign in at their company, and who is excepted (docs/sign-in/company-only.md). */
import { isDeepStrictEqual } from 'node:util'
import type { Request, Response, Role } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import { setCompanySignIn } from '../storage/access.ts'
import { denyCodesOfOrganization } from '../storage/device-codes.ts'
import { endPersonSessions } from '../storage/sessions.ts'
import type { Access } from './access.ts'
import type { ChangeRequest } from './change-request.ts'
import type { Policy } from './policy.ts'

/** The people of the embedded provider, of whom one may not leave while the rules change. */
interface Owners {
  /** Runs `work` while no one of `userIds` can be removed or get another role. Throws INVALID_REQUEST unless all are owners. */
  whileOwners<Result>(idpOrgId: string, userIds: readonly string[], work: () => Promise<Result>): Promise<Result>
}

/** What the settings of a company's provider say about joining. */
interface Company {
  readonly label: string
  readonly domains: readonly string[]
  readonly tenants: readonly string[]
  readonly join: { readonly organization: string; readonly role: Role } | undefined
}

interface CompanySignInParts {
  readonly access: Access
  /** Undefined with an external provider, which alone decides how people sign in. */
  readonly owners: Owners | undefined
  /** The companies' providers that the operator has set up. */
  readonly companies: readonly Company[]
  /** Forgets the sessions of an organization, after they were ended. */
  readonly forgetSessions: (orgId: string) => void
  readonly clock: Clock
}

type Asker = Pick<ChangeRequest, 'actor' | 'idpOrgId'>
type Rules = Omit<Request<'signInRulesSet'>, 'orgSlug'>

export class CompanySignInRules {
  readonly #parts: CompanySignInParts

  constructor(parts: CompanySignInParts) {
    this.#parts = parts
  }

  show({ isCompanyOnly, breakGlass }: Policy, orgSlug: string): Response<'signInRules'> {
    const joining = this.#parts.companies.flatMap(({ label, domains, tenants, join }) =>
      join?.organization === orgSlug ? [{ label, domains: [...domains], tenants: [...tenants], role: join.role }] : [],
    )
    return { isCompanyOnly, breakGlass: [...breakGlass].toSorted(), joining }
  }

  /** Changes the rules. On return they apply on every node. Throws INVALID_REQUEST. */
  async set({ actor, idpOrgId }: Asker, policy: Policy, { isCompanyOnly, breakGlass }: Rules): Promise<void> {
    const { access, owners, forgetSessions, clock } = this.#parts
    const userIds = isCompanyOnly ? [...new Set(breakGlass)].toSorted() : []
    if (isCompanyOnly) this.#assertPossible(userIds)
    const before = { isCompanyOnly: policy.isCompanyOnly, breakGlass: [...policy.breakGlass].toSorted() }
    const after = { isCompanyOnly, breakGlass: userIds }
    if (isDeepStrictEqual(before, after)) return
    const change = (): Promise<void> =>
      access.change(policy, actor, async (tx) => {
        await setCompanySignIn(tx, policy.id, isCompanyOnly, userIds)
        if (isCompanyOnly) {
          // How the person signed in who approved a command-line session is not known anymore.
          await denyCodesOfOrganization(tx, policy.id)
          await endPersonSessions(tx, policy.id, userIds, clock.now())
        }
        return [{ action: 'organization.update', facts: { before, after } }]
      })
    try {
      await (owners ? owners.whileOwners(idpOrgId, userIds, change) : change())
    } finally {
      forgetSessions(policy.id)
    }
  }

  #assertPossible(userIds: readonly string[]): void {
    const { owners, companies } = this.#parts
    if (!owners)
      throw new ApiError(
        'INVALID_REQUEST',
        'isCompanyOnly: people sign in at the external identity provider already: change the ways to sign in there.',
      )
    if (companies.length === 0)
      throw new ApiError(
        'INVALID_REQUEST',
        'isCompanyOnly: this installation has no company sign-in: ask its operator to set ROLLKEY_SIGN_IN.',
      )
    if (userIds.length === 0)
      throw new ApiError(
        'INVALID_REQUEST',
        'breakGlass: name at least one owner who may still sign in with a password or passkey, for when the company cannot be reached.',
      )
  }
}
