/** Reports the groups of people at companies' providers: at each sign-in there, and none when the account is disconnected. */
import { claimAt, type Claims } from '../../auth/claims.ts'
import { groupNamesIn, type CompanyGroupReport } from '../../auth/reported-groups.ts'
import type { Log } from '../../base/log.ts'
import type { Directory } from '../directory.ts'
import type { Change } from '../watched-adapter.ts'
import { isIssuerOf } from './issuers.ts'
import type { CompanyProvider } from './settings.ts'

interface CompanyGroupsParts {
  readonly companies: readonly CompanyProvider[]
  readonly directory: Directory
  /** Makes the person a member of the groups that stand for those that the provider reports, and of no others of it. */
  readonly reportGroups: (report: CompanyGroupReport) => Promise<void>
  readonly log: Log
}

/** How long after a sign-in its report may be repeated. A later one may have reported less. */
const repeatableMs = 15 * 60_000
/** Maximum characters of a report that a session remembers. A longer one counts from the next sign-in on. */
const maxRemembered = 16_384

interface GroupSession {
  readonly userId: string
  readonly createdAt: Date
  readonly [field: string]: unknown
}

/** Returns what a session remembers of a report, for the organization of an invitation. */
export function remembered(names: readonly string[]): { readonly invitationGroups?: string } {
  const invitationGroups = JSON.stringify(names)
  return invitationGroups.length > maxRemembered ? {} : { invitationGroups }
}

/** Returns whether the provider left out the groups because they are too many (OpenID Connect Core 1.0, section 5.6.2). */
function areElsewhere(claims: Claims, claim: string): boolean {
  const { _claim_names: elsewhere } = claims
  return typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, claim)
}

export class CompanyGroups {
  readonly #parts: CompanyGroupsParts

  constructor(parts: CompanyGroupsParts) {
    this.#parts = parts
  }

  /** Reports the groups with which a person came back from a provider. Returns them. */
  async report(userId: string, provider: CompanyProvider, claims: Claims): Promise<readonly string[]> {
    const { groupsClaim } = provider
    if (groupsClaim === undefined) return []
    const given = claimAt(claims, groupsClaim)
    // Without a list, the person has no group: someone who was removed from one must not keep it because they have many others.
    if (given === undefined && areElsewhere(claims, groupsClaim))
      this.#parts.log.warn('the provider left out the groups of a person because they are too many', {
        provider: provider.name,
      })
    const names = groupNamesIn(given)
    await this.#report(userId, provider, names)
    return names
  }

  /** Repeats the report of a sign-in with which a person came to an invitation, and has just accepted it. */
  async repeat({ userId, method, createdAt, invitationGroups }: GroupSession): Promise<void> {
    const provider = this.#parts.companies.find(({ name }) => name === method)
    const isRecent = Date.now() - createdAt.getTime() < repeatableMs
    if (!provider || typeof invitationGroups !== 'string' || !isRecent) return
    await this.#report(userId, provider, groupNamesIn(JSON.parse(invitationGroups)))
  }

  /** Reports no groups of an account at a provider that is about to be disconnected. */
  async before({ operation, rows }: Change): Promise<void> {
    if (operation !== 'account delete') return
    for (const { userId, providerId } of await rows()) {
      const left = this.#parts.companies.filter(
        (company) => providerId !== 'credential' && isIssuerOf(company, String(providerId)),
      )
      for (const provider of left) await this.#report(String(userId), provider, [])
    }
  }

  async #report(userId: string, { name }: CompanyProvider, names: readonly string[]): Promise<void> {
    const organizations = await this.#parts.directory.organizationsOf(userId)
    await this.#parts.reportGroups({ userId, organizations, provider: name, names })
  }
}
