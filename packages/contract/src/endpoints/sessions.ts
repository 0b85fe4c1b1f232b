/** Logins and sessions of command-line clients. */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../rules/limits.ts'
import { ok, type Endpoint } from './endpoint.ts'

const accessTokenExpiresAtMs = field.timeMs.describe('When the access token expires, Unix time in milliseconds')
const refreshTokenExpiresAtMs = field.timeMs.describe('When the refresh token expires, Unix time in milliseconds')
const lastUsedAtMs = field.timeMs.describe(
  'When the session was last used, Unix time in milliseconds, give or take some seconds',
)
const clientName = field.clientName.optional().describe('Name of the client; absent if it gave none')
const idpUserId = z.string().describe('Id of the user at the identity provider')
const userCode = z.string().describe('Code that the person has from the client: 8 upper-case letters and digits')

const tokenPair = z.object({
  accessToken: z.string().describe('Token for requests: svc_at_…'),
  refreshToken: z.string().describe('Token for the next refresh, which works once'),
  accessTokenExpiresAtMs,
  refreshTokenExpiresAtMs,
})

/** Errors of endpoints that name a waiting login by its user code. */
const userCodeErrors = ['USER_CODE_INVALID', 'DEVICE_CODE_NOT_FOUND', 'DEVICE_CODE_EXPIRED', 'RATE_LIMITED'] as const

export const sessions = {
  /** Issues a device code and a user code, valid for 600 seconds (RFC 8628, section 3.1). */
  deviceStart: {
    method: 'POST',
    path: '/v1/cli/device/start',
    summary: 'Start the login of a command-line client',
    auth: 'none',
    verb: 'none',
    request: z.object({
      clientName: field.clientName.optional().describe('Name shown in the browser during approval; absent: none'),
    }),
    bodyBytes: limits.shortBodyBytes,
    response: () =>
      z.object({
        deviceCode: z.string().describe('Code for the polls of the client, which stays secret'),
        userCode: z.string().describe('Code for the person: 8 upper-case letters and digits'),
        expiresInSec: z.literal(limits.deviceCodeLifetimeSec).describe('How long both codes are valid, in seconds'),
        intervalSec: z.literal(limits.deviceCodePollIntervalSec).describe('Interval between two polls, in seconds'),
        verificationUri: z.url().describe('Address of the approval page'),
        verificationUriComplete: z.url().describe('Address of the approval page with the user code'),
      }),
    errors: [],
  },
  /** Approves a login, for the person who is signed in. */
  deviceComplete: {
    method: 'POST',
    path: '/v1/cli/device/complete',
    summary: 'Approve the login of a command-line client',
    auth: 'provider',
    verb: 'none',
    request: z.object({ userCode }),
    bodyBytes: limits.shortBodyBytes,
    response: () => ok,
    errors: userCodeErrors,
  },
  /** Shows which client asks for a login, before a person decides. */
  deviceShow: {
    method: 'POST',
    path: '/v1/cli/device/show',
    summary: 'Show a waiting login before the decision on it',
    auth: 'provider',
    verb: 'none',
    repeatable: true,
    request: z.object({ userCode }),
    bodyBytes: limits.shortBodyBytes,
    response: () =>
      z.object({
        clientName,
        requestedAtMs: field.timeMs.describe('When the login started, Unix time in milliseconds'),
        expiresAtMs: field.timeMs.describe('When the codes expire, Unix time in milliseconds'),
        orgSlug: z.string().describe('Organization of the session after an approval'),
      }),
    errors: userCodeErrors,
  },
  /** Refuses a login. The next poll of its client fails with `DEVICE_CODE_EXPIRED`. */
  deviceDeny: {
    method: 'POST',
    path: '/v1/cli/device/deny',
    summary: 'Refuse the login of a command-line client',
    auth: 'provider',
    verb: 'none',
    request: z.object({ userCode }),
    bodyBytes: limits.shortBodyBytes,
    response: () => ok,
    errors: userCodeErrors,
  },
  /** Returns the tokens once a person has approved the login (RFC 8628, section 3.4). Clients poll every 5 seconds. */
  devicePoll: {
    method: 'POST',
    path: '/v1/cli/device/poll',
    summary: 'Poll whether the login was approved; the first answer after the approval contains the tokens',
    auth: 'none',
    verb: 'none',
    request: z.object({ deviceCode: z.string().describe('Device code of the login') }),
    bodyBytes: limits.shortBodyBytes,
    response: () =>
      z.discriminatedUnion('status', [
        z.object({ status: z.literal('pending').describe('No one has decided yet') }),
        tokenPair.extend({ status: z.literal('approved').describe('A person has approved the login') }),
      ]),
    errors: ['DEVICE_CODE_NOT_FOUND', 'DEVICE_CODE_EXPIRED'],
  },
  /**
   * Replaces a token pair. If a client presents a refresh token again more than a minute after its use, the session ends
   * (RFC 9700, section 4.14).
   */
  tokenRefresh: {
    method: 'POST',
    path: '/v1/cli/token/refresh',
    summary: 'Exchange a refresh token, which works once, for a new token pair',
    auth: 'none',
    verb: 'none',
    request: z.object({ refreshToken: z.string().describe('Refresh token of the session') }),
    bodyBytes: limits.shortBodyBytes,
    response: () => tokenPair,
    errors: ['INVALID_REFRESH_TOKEN', 'ORG_SCOPE_INVALID'],
  },
  /** Ends the session of a refresh token. */
  logout: {
    method: 'POST',
    path: '/v1/cli/logout',
    summary: 'End the session that a refresh token belongs to',
    auth: 'session',
    verb: 'none',
    request: z.object({ refreshToken: z.string().describe('Refresh token of the session') }),
    bodyBytes: limits.shortBodyBytes,
    response: () => ok,
    errors: [],
  },
  /** Lists valid sessions: those of the caller or, for owners and admins, of all members. */
  sessionList: {
    method: 'POST',
    path: '/v1/sessions/list',
    manage: 'sessions.list',
    summary: 'List the usable sessions of command-line clients, latest used first',
    auth: 'caller',
    verb: 'none',
    repeatable: true,
    request: z.object({
      orgSlug: field.orgSlug,
      everyone: z
        .boolean()
        .default(false)
        .describe('Sessions of the whole organization, not only your own; for owners and admins'),
    }),
    bodyBytes: limits.shortBodyBytes,
    response: () =>
      z.object({
        sessions: z
          .array(
            z
              .object({
                id: field.sessionId,
                idpUserId,
                clientName,
                createdAtMs: field.timeMs.describe('When the session began, Unix time in milliseconds'),
                lastUsedAtMs,
                refreshTokenExpiresAtMs,
                isCurrent: z.boolean().describe('Whether it is the session of this request'),
              })
              .meta({ id: 'Session', description: 'A session of a command-line client' }),
          )
          .describe('Latest used first'),
      }),
    errors: [],
  },
  /** Ends a session on every node, starting with the next request. */
  sessionRevoke: {
    method: 'POST',
    path: '/v1/sessions/revoke',
    manage: 'sessions.revoke',
    summary: 'End a session at once: your own or, as an owner or admin, any of the organization',
    auth: 'caller',
    verb: 'none',
    changes: true,
    request: z.object({ orgSlug: field.orgSlug, id: field.sessionId }),
    bodyBytes: limits.shortBodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
  /** Confirms a command-line session of the person, so that it can read values of protected stages for 15 minutes. */
  sessionConfirm: {
    method: 'POST',
    path: '/v1/sessions/confirm',
    manage: 'sessions.confirm',
    summary: 'Confirm that one of your command-line sessions is you, for 15 minutes',
    auth: 'provider',
    verb: 'none',
    confirmation: true,
    repeatable: true,
    request: z.object({ orgSlug: field.orgSlug, id: field.sessionId }),
    bodyBytes: limits.shortBodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
  /** Shows the session of the access token: its user, its organization and when its tokens expire. */
  session: {
    method: 'GET',
    path: '/v1/cli/session',
    summary: 'Show the session of the access token',
    auth: 'session',
    verb: 'none',
    request: z.object({}),
    bodyBytes: 0,
    response: () =>
      z.object({
        idpUserId,
        orgId: z.string().describe('Id of the organization'),
        orgSlug: z.string().describe('Slug of the organization'),
        accessTokenExpiresAtMs,
        refreshTokenExpiresAtMs,
        lastUsedAtMs,
      }),
    errors: [],
  },
} as const satisfies Record<string, Endpoint>
