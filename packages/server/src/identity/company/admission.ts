/** Decides from the claims of an ID token who may join an organization without an invitation. */
import type { Claims } from '../../auth/claims.ts'
import { google, isPublic } from './issuers.ts'
import type { CompanyProvider } from './settings.ts'

/** Returns the address in the claims if the provider has verified it. */
function verifiedEmail(claims: Claims): string | undefined {
  const { email, email_verified: isVerified } = claims
  // Some providers send the text "true".
  return typeof email === 'string' && (isVerified === true || isVerified === 'true') ? email.toLowerCase() : undefined
}

function domainOf(claims: Claims): string | undefined {
  // At Google, only `hd` says that the account belongs to the company: anyone can verify an address of it for a private account.
  const domain = claims['iss'] === google ? claims['hd'] : verifiedEmail(claims)?.split('@').at(-1)
  return typeof domain === 'string' ? domain.toLowerCase() : undefined
}

/** Returns whether the person of these claims may join. A provider without domains and tenants admits no one. */
export function admits({ domains, tenants }: CompanyProvider, claims: Claims): boolean {
  if (domains.length + tenants.length === 0) return false
  const isOfDomain = domains.length === 0 || domains.includes(domainOf(claims) ?? '')
  const { tid } = claims
  return isOfDomain && (tenants.length === 0 || (typeof tid === 'string' && tenants.includes(tid.toLowerCase())))
}

/**
 * Returns the organization for which this is a sign-in at the company: its slug, or `*` for any. Undefined for a person whom the
 * provider does not admit: anyone can have an account at a public provider.
 */
export function companyOf(provider: CompanyProvider, claims: Claims): string | undefined {
  const isLimited = provider.domains.length + provider.tenants.length > 0
  if (isLimited ? !admits(provider, claims) : isPublic(provider)) return undefined
  return provider.join?.organization ?? '*'
}

/**
 * Returns the address of a new account. Entra does not say whether an address is verified: the administrators of an admitted
 * tenant set it.
 */
export function addressOf({ tenants }: CompanyProvider, claims: Claims): string | undefined {
  const { email, preferred_username: name } = claims
  const ofTenant =
    tenants.length > 0 ? [email, name].find((each) => typeof each === 'string' && each.includes('@')) : undefined
  return verifiedEmail(claims) ?? (typeof ofTenant === 'string' ? ofTenant.toLowerCase() : undefined)
}
