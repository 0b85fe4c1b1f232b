/** Rules for accounts and organizations. They are separate so that commands can import them without better-auth. */

/** The length of a password, in characters. */
export const passwordLength = { min: 10, max: 128 }

/** Maximum members of an organization. */
export const maxMembers = 10_000

/** The pattern of a slug: a label of RFC 1123, so that a slug can be part of a host name. */
export const organizationSlug = /^[a-z0-9][a-z0-9-]{0,62}$/

/**
 * Returns the host name to which passkeys are bound; undefined if the service is served at an IP address or without https, where
 * passkeys do not work (Web Authentication, section 5.1.2).
 */
export function passkeyHost(publicUrl: string): string | undefined {
  const { hostname, protocol } = new URL(publicUrl)
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[')
  return !isAddress && (protocol === 'https:' || hostname === 'localhost') ? hostname : undefined
}
