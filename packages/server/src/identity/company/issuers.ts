/** What is particular about the issuers of well-known providers. */
import { confirmationMaxAgeSec } from '../../auth/confirmation.ts'
import type { CompanyProvider } from './settings.ts'

export const google = 'https://accounts.google.com'

/** Microsoft's addresses for people of several tenants. Their tokens have the issuer of the person's tenant. */
const entraOfMany = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)\/v2\.0\/?$/
const entraTenant = /^https:\/\/login\.microsoftonline\.com\/[\da-f-]{36}\/v2\.0$/

export function isEntra(issuer: string): boolean {
  return new URL(issuer).origin === 'https://login.microsoftonline.com'
}

type Issued = Pick<CompanyProvider, 'issuer'>

/** Returns whether anyone can have an account at a provider. */
export function isPublic({ issuer }: Issued): boolean {
  return entraOfMany.test(issuer) || [google, 'https://gitlab.com'].includes(issuer.replace(/\/$/, ''))
}

/** Returns whether people of this issuer sign in at the provider. */
export function isIssuerOf({ issuer }: Issued, ofPerson: string): boolean {
  return new URL(issuer).href === new URL(ofPerson).href || (entraOfMany.test(issuer) && entraTenant.test(ofPerson))
}

/**
 * Returns the parameters that make a provider ask for credentials again (OpenID Connect Core 1.0, section 3.1.2.1). Google supports
 * neither. It lets the person choose an account, and says when they signed in to it only if the
 * client may know that.
 */
export function confirmationRequest({ issuer }: Issued): Record<string, string> {
  if (!isIssuerOf({ issuer: google }, issuer)) return { prompt: 'login', max_age: String(confirmationMaxAgeSec) }
  return { prompt: 'select_account', claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }) }
}
