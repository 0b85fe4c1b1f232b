/** What accounts and organizations must be like. Commands read it too, and do not load better-auth for it. */

/** Characters. */
export const passwordLength = { least: 10, most: 128 }

/** Members of an organization. */
export const maxMembers = 10_000

/** A label of RFC 1123, so that a slug can stand in a host name. */
export const organizationSlug = /^[a-z0-9][a-z0-9-]{0,62}$/

/** Passkeys are bound to a host name; an address has none (Web Authentication, section 5.1.2). */
export function passkeyHost(publicUrl: string): string | undefined {
  const { hostname, protocol } = new URL(publicUrl)
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[')
  return !isAddress && (protocol === 'https:' || hostname === 'localhost') ? hostname : undefined
}
