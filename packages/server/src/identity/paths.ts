/** The paths of the library that the service exposes, and their rate limits. An upgrade of the library exposes no new path. */

/** The path of the provider below the public URL. */
export const basePath = '/identity'

/**
 * The kind of a path. `passwords`: hashes a password. `links`: creates, shows or uses a link. `passkeys`: stores a challenge for
 * anyone who asks, or asks a company's provider for them.
 */
export type PathKind = 'passwords' | 'links' | 'passkeys' | 'identity'

const pathsByKind: Readonly<Record<PathKind, readonly string[]>> = {
  passwords: ['/sign-in/email', '/sign-up/email', '/change-password'],
  links: [
    '/links/setup',
    '/links/invite',
    '/links/invitation',
    '/links/sign-up',
    '/links/reset',
    '/links/password',
    '/links/forgotten',
    '/reset-password',
  ],
  passkeys: [
    '/passkey/generate-authenticate-options',
    '/passkey/verify-authentication',
    '/company/sign-in',
    '/company/status',
  ],
  identity: [
    ['/sign-out', '/get-session', '/token', '/jwks', '/update-user'],
    ['/list-sessions', '/revoke-session', '/revoke-other-sessions'],
    ['list', 'create', 'update', 'set-active', 'list-members', 'leave'].map((name) => `/organization/${name}`),
    ['invite-member', 'list-invitations', 'cancel-invitation'].map((name) => `/organization/${name}`),
    ['accept-invitation', 'reject-invitation'].map((name) => `/organization/${name}`),
    ['remove-member', 'update-member-role'].map((name) => `/organization/${name}`),
    ['generate-register-options', 'verify-registration'].map((name) => `/passkey/${name}`),
    ['/second-factor', '/second-factor/start', '/second-factor/enable', '/second-factor/remove'],
    ['/second-factor/recovery-codes', '/mails', '/mails/choose'],
    ['list-user-passkeys', 'update-passkey', 'delete-passkey'].map((name) => `/passkey/${name}`),
    ['methods', 'remove', 'members'].map((name) => `/company/${name}`),
  ].flat(),
}

/** All paths below `basePath` but the callbacks of companies' providers. */
export const servedPaths: readonly string[] = Object.values(pathsByKind).flat()

const kinds = new Map<string, PathKind>()
for (const kind of ['passwords', 'links', 'passkeys', 'identity'] as const) {
  for (const path of pathsByKind[kind]) kinds.set(basePath + path, kind)
}

/** The path of the sign-in endpoint with a password. */
export const signInPath = '/sign-in/email'

/** The path to which a company's provider sends the browser back, without the name of the provider. */
export const companyCallback = '/company/callback/'

const callbacks = basePath + companyCallback

/** Returns the name of the company's provider that sends a browser to this path. */
export function companyAt(path: string): string | undefined {
  return path.startsWith(callbacks) ? path.slice(callbacks.length) : undefined
}

export function isServed(path: string): boolean {
  return kinds.has(path) || path.startsWith(callbacks)
}

/** Returns the rate limit of a path. A path that is not served has the general limit. */
export function kindOf(path: string): PathKind {
  return kinds.get(path) ?? (path.startsWith(callbacks) ? 'passkeys' : 'identity')
}
