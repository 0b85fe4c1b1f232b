/**
 * How people must sign in to an organization: at their company, but for who is excepted, or with a second factor
 * (docs/sign-in/company-only.md, docs/sign-in/second-factor.md).
 */
import { isDeepStrictEqual } from 'node:util'
import type { Request, Response, Role } from '@rollkey/contract'
import type { Caller } from '../auth/authenticate.ts'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import { setSignInRules } from '../storage/access.ts'
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

interface SignInParts {
  readonly access: Access
  /** Undefined with an external provider, which alone decides how people sign in. */
  readonly owners: Owners | undefined
  /** The companies' providers that the operator has set up. */
  readonly companies: readonly Company[]
  /** Forgets the sessions of an organization, after they were ended. */
  readonly forgetSessions: (orgId: string) => void
  readonly clock: Clock
}

type Asker = Pick<ChangeRequest, 'actor'> & { readonly caller: Pick<Caller, 'idpOrgId' | 'signIn'> }
type Asked = Omit<Request<'signInRulesSet'>, 'orgSlug'>
type Rules = Omit<Response<'signInRules'>, 'joining'>

export class SignInRules {
  readonly #parts: SignInParts

  constructor(parts: SignInParts) {
    this.#parts = parts
  }

  show(policy: Policy, orgSlug: string): Response<'signInRules'> {
    const joining = this.#parts.companies.flatMap(({ label, domains, tenants, join }) =>
      join?.organization === orgSlug ? [{ label, domains: [...domains], tenants: [...tenants], role: join.role }] : [],
    )
    return { ...rulesOf(policy), joining }
  }

  /** Changes those of the rules that are given. On return they apply on every node. Throws INVALID_REQUEST. */
  async set({ actor, caller }: Asker, policy: Policy, asked: Asked): Promise<void> {
    const { access, owners, forgetSessions } = this.#parts
    const before = rulesOf(policy)
    const after = rulesAfter(before, asked)
    if (isDeepStrictEqual(before, after)) return
    // What stays as it is was decided before: an excepted owner may have left since.
    const excepted = isOtherCompany(before, after) ? after.breakGlass : []
    if (after.isCompanyOnly && isOtherCompany(before, after)) this.#assertCompanyPossible(excepted)
    if (after.needsSecondFactor && !before.needsSecondFactor) this.#assertSecondFactorPossible(caller)
    const change = (): Promise<void> =>
      access.change(policy, actor, async (tx) => {
        await setSignInRules(tx, policy.id, after)
        const spared = sparedBy(before, after)
        if (spared) {
          // How the person signed in who approved a command-line session is not known anymore.
          await denyCodesOfOrganization(tx, policy.id)
          await endPersonSessions(tx, policy.id, spared, this.#parts.clock.now())
        }
        return [{ action: 'organization.update', facts: changeOf(before, after) }]
      })
    try {
      await (owners ? owners.whileOwners(caller.idpOrgId, excepted, change) : change())
    } finally {
      forgetSessions(policy.id)
    }
  }

  #assertCompanyPossible(breakGlass: readonly string[]): void {
    this.#assertOwnProvider('isCompanyOnly')
    if (this.#parts.companies.length === 0)
      throw new ApiError(
        'INVALID_REQUEST',
        'isCompanyOnly: this installation has no company sign-in: ask its operator to set ROLLKEY_SIGN_IN.',
      )
    if (breakGlass.length === 0)
      throw new ApiError(
        'INVALID_REQUEST',
        'breakGlass: name at least one owner who may still sign in with a password or passkey, for when the company cannot be reached.',
      )
  }

  #assertSecondFactorPossible({ signIn = 'other' }: Asker['caller']): void {
    this.#assertOwnProvider('needsSecondFactor')
    if (signIn === 'other')
      throw new ApiError(
        'INVALID_REQUEST',
        'needsSecondFactor: it would lock you out: first set up a second factor on your account page, or sign in with a passkey.',
      )
  }

  #assertOwnProvider(field: 'isCompanyOnly' | 'needsSecondFactor'): void {
    if (this.#parts.owners) return
    throw new ApiError(
      'INVALID_REQUEST',
      `${field}: people sign in at the external identity provider already: change the ways to sign in there.`,
    )
  }
}

function rulesOf({ isCompanyOnly, breakGlass, needsSecondFactor }: Policy): Rules {
  return { isCompanyOnly, breakGlass: [...breakGlass].toSorted(), needsSecondFactor }
}

function rulesAfter(before: Rules, { isCompanyOnly, breakGlass, needsSecondFactor }: Asked): Rules {
  const company =
    isCompanyOnly === undefined ? before : { isCompanyOnly, breakGlass: [...new Set(breakGlass)].toSorted() }
  return {
    isCompanyOnly: company.isCompanyOnly,
    breakGlass: company.isCompanyOnly ? company.breakGlass : [],
    needsSecondFactor: needsSecondFactor ?? before.needsSecondFactor,
  }
}

/** Returns the people whose command-line sessions go on when the rules change; undefined: those of all. */
function sparedBy(before: Rules, after: Rules): readonly string[] | undefined {
  if (after.needsSecondFactor && !before.needsSecondFactor) return []
  return after.isCompanyOnly && isOtherCompany(before, after) ? after.breakGlass : undefined
}

/** Returns the facts of a change for the audit log: what is other than before. */
function changeOf(before: Rules, after: Rules): { before: Partial<Rules>; after: Partial<Rules> } {
  const changed = ({ needsSecondFactor, ...company }: Rules): Partial<Rules> => ({
    ...(isOtherCompany(before, after) && company),
    ...(before.needsSecondFactor !== after.needsSecondFactor && { needsSecondFactor }),
  })
  return { before: changed(before), after: changed(after) }
}

function isOtherCompany(before: Rules, after: Rules): boolean {
  return before.isCompanyOnly !== after.isCompanyOnly || !isDeepStrictEqual(before.breakGlass, after.breakGlass)
}
