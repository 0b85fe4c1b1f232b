/**
 * The API, one row an endpoint. Routing, authentication, validation, error answers, OpenAPI and (later) the SDK all
 * derive from these rows. Source: specification, "Endpoints"; additive fields: RULINGS.
 */
import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import * as field from './fields.ts'
import { limits } from './limits.ts'
import { described, digested, evaluated, listed, writeEntry } from './variables.ts'

/**
 * Who may call: `caller` a provider token, a CLI access token or, as far as it goes, a service token; `admin` an owner or
 * admin of the organization by one of the first two; `provider` only the first, `session` only the second, `none` anybody.
 */
type Auth = 'caller' | 'admin' | 'provider' | 'session' | 'none'

export interface Endpoint {
  readonly method: 'GET' | 'POST'
  readonly path: `/v1/${string}`
  readonly summary: string
  readonly auth: Auth
  /** Each call is one billing event. */
  readonly metered?: true
  /** It changes what the caller's organization keeps: not for a read-only service token. */
  readonly changes?: true
  /** A POST's JSON body, or a GET's query. */
  readonly request: z.ZodType
  /** Most bytes of a body. */
  readonly bodyBytes: number
  /** The body of a 200, to which every endpoint adds `requestId`. */
  readonly response: z.ZodType
  /** The codes of the endpoint's own story; what every request may meet is in `commonErrors`. */
  readonly errors: readonly ErrorCode[]
}

const stage = { orgSlug: field.orgSlug, projectSlug: field.projectSlug, stageSlug: field.stageSlug }
const roll = { seed: field.seed.optional(), key: field.key.optional() }
const one = { name: field.name, declaredType: field.declaredType.optional(), ...roll }

const ok = z.object({ ok: z.literal(true) })
const tokenPair = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  accessTokenExpiresAtMs: field.timeMs,
  refreshTokenExpiresAtMs: field.timeMs,
})

/** A credential for machines (RULINGS, "Service tokens"), without the token itself. */
const serviceToken = z.object({
  id: field.tokenId,
  name: field.tokenName,
  projectSlug: field.projectSlug.optional().describe('The only project that it reaches'),
  stageSlug: field.stageSlug.optional().describe('The only stage that it reaches'),
  readOnly: z.boolean(),
  createdBy: z.string().describe('Id of the user who made it, at the identity provider; of the operator: operator'),
  createdAtMs: field.timeMs,
  expiresAtMs: field.timeMs,
  lastUsedAtMs: field.timeMs.optional().describe('Absent if it was never used; a few seconds behind'),
})

/** What may be met where a waiting login is named by its user code. */
const userCodeErrors = ['USER_CODE_INVALID', 'DEVICE_CODE_NOT_FOUND', 'DEVICE_CODE_EXPIRED', 'RATE_LIMITED'] as const

/** What ties the end of a sign-in to its start (OpenID Connect Core 1.0, section 3.1; PKCE: RFC 7636). */
const signInProof = { state: z.string(), nonce: z.string(), codeVerifier: z.string() }

const metered = ['EVALUATION_FAILED', 'USAGE_LIMIT_EXCEEDED', 'BILLING_UNAVAILABLE'] as const

function hasDuplicates(names: readonly string[]): boolean {
  return new Set(names).size !== names.length
}

const write = z
  .object({
    ...stage,
    mode: z.enum(['upsert', 'create_only']),
    entries: z.array(writeEntry).max(limits.entries).default([]),
    deletes: z.array(field.name).max(limits.entries).default([]),
    ifRevision: field.revision.optional().describe('Write only if the stage is at this revision'),
  })
  .refine(({ entries, deletes }) => !hasDuplicates([...entries.map((entry) => entry.name), ...deletes]), {
    message: 'must name a variable only once over entries and deletes',
    path: ['entries'],
  })

export const endpoints = {
  evaluate: {
    method: 'POST',
    path: '/v1/env/evaluate',
    summary: 'Evaluate one variable',
    auth: 'caller',
    metered: true,
    request: z.object({ ...stage, ...one }),
    bodyBytes: limits.bodyBytes,
    response: evaluated,
    errors: ['VARIABLE_NOT_FOUND', ...metered],
  },
  evaluateBatch: {
    method: 'POST',
    path: '/v1/env/evaluate-batch',
    summary: 'Evaluate many variables in one billing event',
    auth: 'caller',
    metered: true,
    request: z.object({ ...stage, entries: z.array(z.object(one)).max(limits.entries) }),
    bodyBytes: limits.bodyBytes,
    response: z.object({ results: z.array(evaluated) }),
    errors: ['VARIABLE_NOT_FOUND', ...metered],
  },
  pull: {
    method: 'POST',
    path: '/v1/env/pull',
    summary: 'Evaluate every variable of a stage',
    auth: 'caller',
    metered: true,
    request: z.object({ ...stage, ...roll }),
    bodyBytes: limits.bodyBytes,
    response: z.object({ variables: z.record(z.string(), field.value), revision: field.revision }),
    errors: metered,
  },
  list: {
    method: 'POST',
    path: '/v1/env/list',
    summary: 'List the variables of a stage without their values',
    auth: 'caller',
    request: z.object(stage),
    bodyBytes: limits.bodyBytes,
    response: z.object({ variables: z.array(listed), revision: field.revision }),
    errors: [],
  },
  write: {
    method: 'POST',
    path: '/v1/env/write',
    summary: 'Create, update and delete variables, all or nothing',
    auth: 'caller',
    changes: true,
    request: write,
    bodyBytes: limits.writeBodyBytes,
    response: z.object({
      created: z.array(field.name),
      updated: z.array(field.name),
      deleted: z.array(field.name),
      revision: field.revision,
    }),
    errors: ['REVISION_CONFLICT', 'USAGE_LIMIT_EXCEEDED', 'BILLING_UNAVAILABLE'],
  },
  manifest: {
    method: 'GET',
    path: '/v1/typegen/manifest',
    summary: 'Metadata of a stage for type generation',
    auth: 'caller',
    request: z.object(stage),
    bodyBytes: 0,
    response: z.object({
      manifestVersion: z.literal(1),
      variables: z.array(described),
      revision: field.revision,
    }),
    errors: [],
  },
  digests: {
    method: 'POST',
    path: '/v1/env/digests',
    summary: 'Compare stages without seeing a value: a digest of each value, keyed per organization',
    auth: 'caller',
    request: z.object(stage),
    bodyBytes: limits.bodyBytes,
    response: z.object({ variables: z.array(digested), revision: field.revision }),
    errors: ['EVALUATION_FAILED'],
  },
  projects: {
    method: 'POST',
    path: '/v1/projects/list',
    summary: 'List the projects of the organization and their stages',
    auth: 'caller',
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: z.object({
      projects: z.array(
        z.object({
          projectSlug: field.projectSlug,
          stages: z.array(z.object({ stageSlug: field.stageSlug, revision: field.revision })),
        }),
      ),
    }),
    errors: [],
  },
  whoami: {
    method: 'GET',
    path: '/v1/whoami',
    summary: 'Whom the credential belongs to, and what it may do',
    auth: 'caller',
    request: z.object({}),
    bodyBytes: 0,
    response: z.object({
      credential: z.enum(['provider', 'session', 'service']),
      orgId: z.string(),
      orgSlug: z.string(),
      idpUserId: z.string().optional().describe('Absent for a service token'),
      role: field.role.optional().describe('Absent for a service token'),
      serviceToken: serviceToken.optional(),
    }),
    errors: [],
  },
  tokenCreate: {
    method: 'POST',
    path: '/v1/tokens/create',
    summary: 'Make a service token; it is shown this once',
    auth: 'admin',
    request: z
      .object({
        orgSlug: field.orgSlug,
        name: field.tokenName,
        projectSlug: field.projectSlug.optional(),
        stageSlug: field.stageSlug.optional(),
        readOnly: z.boolean().default(false),
        expiresInDays: z.number().int().min(1).max(limits.serviceTokenDays).default(limits.serviceTokenDaysByDefault),
      })
      .refine(({ projectSlug, stageSlug }) => stageSlug === undefined || projectSlug !== undefined, {
        message: 'must come with a projectSlug',
        path: ['stageSlug'],
      }),
    bodyBytes: limits.bodyBytes,
    response: serviceToken.extend({ token: z.string() }),
    errors: [],
  },
  tokenList: {
    method: 'POST',
    path: '/v1/tokens/list',
    summary: 'List the service tokens of the organization that are neither revoked nor expired',
    auth: 'admin',
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: z.object({ tokens: z.array(serviceToken) }),
    errors: [],
  },
  tokenRevoke: {
    method: 'POST',
    path: '/v1/tokens/revoke',
    summary: 'End a service token at once',
    auth: 'admin',
    request: z.object({ orgSlug: field.orgSlug, id: field.tokenId }),
    bodyBytes: limits.bodyBytes,
    response: ok,
    errors: ['NOT_FOUND'],
  },
  deviceStart: {
    method: 'POST',
    path: '/v1/cli/device/start',
    summary: 'Start the login of a command-line client',
    auth: 'none',
    request: z.object({ clientName: field.clientName.optional() }),
    bodyBytes: limits.bodyBytes,
    response: z.object({
      deviceCode: z.string(),
      userCode: z.string(),
      expiresInSec: z.literal(limits.deviceCodeLifetimeSec),
      intervalSec: z.literal(limits.deviceCodePollIntervalSec),
      verificationUri: z.url(),
      verificationUriComplete: z.url(),
    }),
    errors: [],
  },
  deviceComplete: {
    method: 'POST',
    path: '/v1/cli/device/complete',
    summary: 'Approve the login of a command-line client',
    auth: 'provider',
    request: z.object({ userCode: z.string() }),
    bodyBytes: limits.bodyBytes,
    response: ok,
    errors: userCodeErrors,
  },
  deviceShow: {
    method: 'POST',
    path: '/v1/cli/device/show',
    summary: 'Look at a waiting login before deciding on it',
    auth: 'provider',
    request: z.object({ userCode: z.string() }),
    bodyBytes: limits.bodyBytes,
    response: z.object({
      clientName: field.clientName.optional(),
      requestedAtMs: field.timeMs,
      expiresAtMs: field.timeMs,
      orgSlug: z.string().describe('The organization that an approval would bind the session to'),
    }),
    errors: userCodeErrors,
  },
  deviceDeny: {
    method: 'POST',
    path: '/v1/cli/device/deny',
    summary: 'Refuse the login of a command-line client',
    auth: 'provider',
    request: z.object({ userCode: z.string() }),
    bodyBytes: limits.bodyBytes,
    response: ok,
    errors: userCodeErrors,
  },
  devicePoll: {
    method: 'POST',
    path: '/v1/cli/device/poll',
    summary: 'Ask whether the login was approved; the first time after it was, receive the tokens',
    auth: 'none',
    request: z.object({ deviceCode: z.string() }),
    bodyBytes: limits.bodyBytes,
    response: z.discriminatedUnion('status', [
      z.object({ status: z.literal('pending') }),
      tokenPair.extend({ status: z.literal('approved') }),
    ]),
    errors: ['DEVICE_CODE_NOT_FOUND', 'DEVICE_CODE_EXPIRED'],
  },
  tokenRefresh: {
    method: 'POST',
    path: '/v1/cli/token/refresh',
    summary: 'Exchange a refresh token, once, for a new token pair',
    auth: 'none',
    request: z.object({ refreshToken: z.string() }),
    bodyBytes: limits.bodyBytes,
    response: tokenPair,
    errors: ['INVALID_REFRESH_TOKEN', 'ORG_SCOPE_INVALID'],
  },
  logout: {
    method: 'POST',
    path: '/v1/cli/logout',
    summary: 'End the session that a refresh token belongs to',
    auth: 'session',
    request: z.object({ refreshToken: z.string() }),
    bodyBytes: limits.bodyBytes,
    response: ok,
    errors: [],
  },
  session: {
    method: 'GET',
    path: '/v1/cli/session',
    summary: 'The session of the access token',
    auth: 'session',
    request: z.object({}),
    bodyBytes: 0,
    response: z.object({
      idpUserId: z.string(),
      orgId: z.string(),
      orgSlug: z.string(),
      accessTokenExpiresAtMs: field.timeMs,
      refreshTokenExpiresAtMs: field.timeMs,
      lastUsedAtMs: field.timeMs,
    }),
    errors: [],
  },
  webSettings: {
    method: 'GET',
    path: '/v1/web/settings',
    summary: 'How people sign in to the web application',
    auth: 'none',
    request: z.object({}),
    bodyBytes: 0,
    response: z.discriminatedUnion('provider', [
      z.object({
        provider: z.literal('embedded'),
        publicUrl: z.url(),
        signUp: z.enum(['invitation', 'open']).describe('Who may create an account'),
        passkeys: z.boolean().describe('Whether the public URL is one that passkeys work at'),
      }),
      z.object({
        provider: z.literal('outside'),
        publicUrl: z.url(),
        signIn: z.boolean().describe('Whether the web application is set up as a client of the provider'),
      }),
    ]),
    errors: [],
  },
  webSignIn: {
    method: 'POST',
    path: '/v1/web/sign-in',
    summary: 'Start a sign-in at the outside provider; the browser goes to the answered address',
    auth: 'none',
    request: z.object({}),
    bodyBytes: limits.bodyBytes,
    response: z.object({ url: z.url(), ...signInProof }),
    errors: ['NOT_FOUND'],
  },
  webToken: {
    method: 'POST',
    path: '/v1/web/token',
    summary: 'End a sign-in at the outside provider: exchange its authorization code for a token',
    auth: 'none',
    request: z.object({
      callback: z.string().describe('The parameters that the provider sent the browser back with, form-encoded'),
      ...signInProof,
    }),
    bodyBytes: limits.bodyBytes,
    response: z.object({ token: z.string(), expiresAtMs: field.timeMs, name: z.string().optional() }),
    errors: ['UNAUTHORIZED', 'NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof endpoints
export type Request<Name extends EndpointName> = z.output<(typeof endpoints)[Name]['request']>
export type Response<Name extends EndpointName> = z.output<(typeof endpoints)[Name]['response']>

export type ServiceToken = z.output<typeof serviceToken>
export type Role = z.output<typeof field.role>

/** Whether the request names the organization, which must be the credential's. */
export function isScoped({ request }: Endpoint): boolean {
  return request instanceof z.ZodObject && 'orgSlug' in request.shape
}

/** Every code that a request to an endpoint can be answered with, in the order of the checks. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const asked: ErrorCode[] = endpoint.auth === 'none' ? [] : ['UNAUTHORIZED', 'ORG_SCOPE_INVALID']
  const body: ErrorCode[] = endpoint.method === 'POST' ? ['PAYLOAD_TOO_LARGE', 'INVALID_JSON'] : []
  const scoped: ErrorCode[] = isScoped(endpoint) ? ['INVALID_ORG_SCOPE', 'FORBIDDEN'] : []
  const always: ErrorCode[] = ['REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE', 'INTERNAL', 'SERVICE_UNAVAILABLE']
  return [...new Set([...asked, ...body, 'INVALID_REQUEST' as const, ...scoped, ...endpoint.errors, ...always])]
}
