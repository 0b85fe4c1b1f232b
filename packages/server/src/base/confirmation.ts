/**
 * A fresh confirmation: the person proved who they are a short while ago, by password, passkey or at an outside provider. What a
 * stolen session must not do asks for one. Both providers say when it was, by the claim `auth_time` (OpenID Connect Core 1.0, section 2).
 */
import { limits } from '@rollkey/contract'

const minuteMs = 60_000

/** How long a confirmation counts. */
export const confirmationLifetimeMs = 15 * minuteMs
/** What an outside provider is asked for: most of a confirmation is left when the person comes back. */
export const confirmationMaxAgeSec = 5 * 60

/** `authenticatedAtMs`: undefined if the provider does not say. */
export function isConfirmed(authenticatedAtMs: number | undefined, nowMs: number): boolean {
  if (authenticatedAtMs === undefined) return false
  const ageMs = nowMs - authenticatedAtMs
  return ageMs > -limits.providerTokenLeewaySec * 1_000 && ageMs < confirmationLifetimeMs
}
