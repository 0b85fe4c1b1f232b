/** Logins with a platform's token, which are exchanges of a trust, and what holders of a token ask about it. */
import { endpoints, limits } from '@rollkey/contract'
import { z } from 'zod'
import type { Caller } from '../../auth/authenticate.ts'
import { ApiError } from '../../base/api-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Session, Sessions } from '../../sessions/sessions.ts'
import type { TokenExchange } from '../../trusts/exchange.ts'
import type { DialectRoute } from '../dialect.ts'
import { Reply } from '../reply.ts'
import type { RequestContext } from '../request-context.ts'
import { confirmReads } from '../steps/confirm-reads.ts'
import { countRequest } from '../steps/count-request.ts'
import { preflight } from '../steps/preflight.ts'
import { readJson } from '../steps/read-body.ts'
import { validate } from '../steps/validate.ts'
import { answerOf } from './answer.ts'
import { namespaceOf, readRoute, refuseWrapping, root, type PlacedContext, type VaultParts } from './steps.ts'
import { vaultDialect } from './vault-dialect.ts'

export interface VaultLoginParts extends VaultParts {
  readonly tokenExchange: TokenExchange
  readonly sessions: Sessions
}

const loginRequest = z.object({ role: z.string(), jwt: z.string() })
const anyone = { method: 'POST', auth: 'none', verb: 'none', errors: [] } as const

interface Lease {
  readonly token: string
  readonly accessor: string
  readonly lifetimeSec: number
  readonly metadata: Readonly<Record<string, string>>
}

/** Returns the part of an answer that has a token. Its lifetime is fixed, so it cannot be renewed. */
function authOf({ token, accessor, lifetimeSec, metadata }: Lease): object {
  return {
    client_token: token,
    accessor,
    policies: [],
    token_policies: [],
    metadata,
    lease_duration: lifetimeSec,
    renewable: false,
    entity_id: '',
    token_type: 'service',
    orphan: true,
    mfa_requirement: null,
    num_uses: 0,
  }
}

function logIn({ tokenExchange }: VaultLoginParts) {
  return async (context: RequestContext): Promise<object> => {
    const { role, jwt } = context.body as unknown as z.infer<typeof loginRequest>
    const { requestId } = context
    const { accessToken: token, lifetimeSec } = await tokenExchange.exchange(jwt, role, requestId, namespaceOf(context))
    return answerOf(requestId, { auth: authOf({ token, accessor: '', lifetimeSec, metadata: { role } }) })
  }
}

function sessionOf({ caller }: Pick<PlacedContext, 'caller'>): Session {
  return (caller as Caller & { readonly session: Session }).session
}

function remainingSec({ accessTokenExpiresAtMs }: Session, clock: Clock): number {
  return Math.max(0, Math.floor((accessTokenExpiresAtMs - clock.now()) / 1_000))
}

function lookUp({ clock }: VaultLoginParts) {
  return (context: PlacedContext): object => {
    const session = sessionOf(context)
    const { id, name = '', orgSlug, accessTokenExpiresAtMs, memberSeenAtMs, scope } = session
    const data = {
      accessor: id,
      creation_time: Math.floor(memberSeenAtMs / 1_000),
      creation_ttl: Math.floor((accessTokenExpiresAtMs - memberSeenAtMs) / 1_000),
      display_name: name,
      entity_id: '',
      expire_time: new Date(accessTokenExpiresAtMs).toISOString(),
      explicit_max_ttl: 0,
      // The token itself is not repeated.
      id: '',
      issue_time: new Date(memberSeenAtMs).toISOString(),
      meta: { organization: orgSlug },
      num_uses: 0,
      orphan: true,
      path: scope?.trustId === undefined ? 'auth/token/create' : 'auth/jwt/login',
      policies: [],
      renewable: false,
      ttl: remainingSec(session, clock),
      type: 'service',
    }
    return answerOf(context.requestId, { data })
  }
}

function tokenIn({ request: { headers } }: Pick<PlacedContext, 'request'>): string {
  return String(headers['x-vault-token'] ?? headers.authorization?.replace(/^ *bearer +/i, '') ?? '').trim()
}

/** Answers what is left of the lease, as Vault does where a token has reached its maximum. */
function renew({ clock }: VaultLoginParts) {
  return (context: PlacedContext): object => {
    const session = sessionOf(context)
    const lifetimeSec = remainingSec(session, clock)
    const auth = authOf({ token: tokenIn(context), accessor: session.id, lifetimeSec, metadata: {} })
    return answerOf(context.requestId, {
      auth,
      warnings: ['The lifetime of the token is fixed, so it was not extended: log in again before it ends.'],
    })
  }
}

/** Ends the session of a login. A service token is ended by people, because programs that tidy up would end it for all. */
function revoke({ sessions }: VaultLoginParts) {
  return async (context: PlacedContext): Promise<object> => {
    const { id, scope } = sessionOf(context)
    if (scope && scope.trustId === undefined)
      throw new ApiError(
        'FORBIDDEN',
        'A service token cannot revoke itself: revoke it in the web application, or with rollkey token revoke.',
      )
    const event = { action: 'session.revoke', facts: { sessionId: id } } as const
    await sessions.revoke(id, 'revoked', { actor: context.actor, event })
    return new Reply(204, [])
  }
}

/** Returns a step that runs the handler once what identified the caller is confirmed. */
function confirmed(parts: VaultLoginParts, handler: (context: PlacedContext) => Promise<object>) {
  const confirm = confirmReads(parts.validator)
  return async (context: PlacedContext): Promise<object> => {
    await confirm(context as unknown as RequestContext)
    return handler(context)
  }
}

export function vaultLoginRoutes(parts: VaultLoginParts): DialectRoute[] {
  const { cors, rateLimits, unreadAnswers, pendingBodies } = parts
  const [get, post] = [['GET'], ['POST', 'PUT']]
  const own = { name: 'vaultToken', row: endpoints.whoami, answerBytes: 0 } as const
  const ofSelf = [
    { ...own, path: 'auth/token/lookup-self', methods: [...get, ...post], handler: lookUp(parts) },
    { ...own, path: 'auth/token/renew-self', methods: post, handler: renew(parts) },
    { ...own, path: 'auth/token/revoke-self', methods: post, handler: confirmed(parts, revoke(parts)) },
  ]
  return [
    {
      path: new RegExp(`${root}auth/(?:jwt|kubernetes)(?:-[^/]+)?/login$`),
      methods: post,
      name: 'vaultLogin',
      endpoint: anyone,
      steps: [
        preflight(cors),
        countRequest('vaultLogin', anyone, 0, rateLimits, unreadAnswers),
        refuseWrapping,
        readJson(limits.exchangeBodyBytes, pendingBodies),
        validate({ request: loginRequest }),
        logIn(parts),
      ],
      dialect: vaultDialect,
    },
    ...ofSelf.map((route) => readRoute(parts, route)),
  ]
}
