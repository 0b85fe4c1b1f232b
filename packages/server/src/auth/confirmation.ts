/**
 * Fresh confirmation: the person recently proved who they are, by password, by passkey or at an external provider. Actions
 * that a stolen session must not perform require one. Both providers report its time in the claim `auth_time`
 * (OpenID Connect Core 1.0, section 2).
 */
import { limits } from '@rollkey/contract'

const minuteMs = 60_000

/** How long a confirmation is valid. */
export const confirmationLifetimeMs = 15 * minuteMs
/** Maximum age that the service requests from an external provider, so that the person returns with most of it left. */
export const confirmationMaxAgeSec = 5 * 60

/** Returns whether the confirmation is still valid. `authenticatedAtMs` is undefined if the provider does not report it. */
export function isConfirmed(authenticatedAtMs: number | undefined, nowMs: number): boolean {
  if (authenticatedAtMs === undefined) return false
  const ageMs = nowMs - authenticatedAtMs
  return ageMs > -limits.providerTokenLeewaySec * 1_000 && ageMs < confirmationLifetimeMs
}
