/** The paths of the library that the service exposes, and their rate limits. An upgrade of the library exposes no new path. */

/** The path of the provider below the public URL. */
export const basePath = '/identity'

/**
 * The kind of a path. `passwords`: hashes a password. `links`: creates, shows or uses a link. `passkeys`: stores a challenge for
 * anyone who asks.
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
    '/reset-password',
  ],
  passkeys: ['/passkey/generate-authenticate-options', '/passkey/verify-authentication'],
  identity: [
    ['/sign-out', '/get-session', '/token', '/jwks', '/update-user'],
    ['/list-sessions', '/revoke-session', '/revoke-other-sessions'],
    ['list', 'create', 'update', 'set-active', 'list-members', 'leave'].map((name) => `/organization/${name}`),
    ['invite-member', 'list-invitations', 'cancel-invitation'].map((name) => `/organization/${name}`),
    ['accept-invitation', 'reject-invitation'].map((name) => `/organization/${name}`),
    ['remove-member', 'update-member-role'].map((name) => `/organization/${name}`),
    ['generate-register-options', 'verify-registration'].map((name) => `/passkey/${name}`),
    ['list-user-passkeys', 'update-passkey', 'delete-passkey'].map((name) => `/passkey/${name}`),
  ].flat(),
}

const kinds = new Map<string, PathKind>()
for (const kind of ['passwords', 'links', 'passkeys', 'identity'] as const) {
  for (const path of pathsByKind[kind]) kinds.set(basePath + path, kind)
}

export function isServed(path: string): boolean {
  return kinds.has(path)
}

/** Returns the rate limit of a path. A path that is not served has the general limit. */
export function kindOf(path: string): PathKind {
  return kinds.get(path) ?? 'identity'
}
