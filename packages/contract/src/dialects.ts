/** Endpoints outside `/v1`, which follow another standard: OAuth 2.0 and OFREP. They are rows for `openapi.json`. */
import { z } from 'zod'
import { endpoints, errorsOf } from './endpoints.ts'
import type { ErrorCode } from './errors.ts'
import * as field from './fields.ts'
import { kindNames } from './rules/kinds.ts'

/** An endpoint of another standard. */
export interface DialectRow {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Tag of openapi.json. */
  readonly tag: 'OFREP' | 'Trusts'
  readonly summary: string
  /** Parameters of the path, by name, with their descriptions. Absent: it has none. */
  readonly pathParameters?: Readonly<Record<string, string>>
  /**
   * Who may call it. All but `none` are about a stage, which stands before the path, or is that of the credential. An `evaluator` sends a
   * request key, too.
   */
  readonly auth: 'none' | 'evaluator' | 'caller' | 'ticket'
  /** Whether an answer has an ETag. */
  readonly hasEtag?: true
  /** Content type of the body, whose schema is `request`. Absent: there is none. */
  readonly contentType?: 'application/json' | 'application/x-www-form-urlencoded'
  readonly request?: z.ZodType
  /** Returns the answer, or the data of an event. */
  readonly response: () => z.ZodType
  /** Whether the answer is a stream of events. */
  readonly streams?: true
  /** Name of its form of an error in `dialectErrors`, or `Error` for that of the API. */
  readonly error: keyof typeof dialectErrors | 'Error'
  readonly errors: readonly ErrorCode[]
}

const text = z.string()

const flagError = z.object({
  key: text.optional().describe('Key of the flag; absent: the request names none'),
  errorCode: z
    .enum(['PARSE_ERROR', 'INVALID_CONTEXT', 'TARGETING_KEY_MISSING', 'FLAG_NOT_FOUND', 'GENERAL'])
    .describe('What went wrong, as OpenFeature names it'),
  errorDetails: text.describe('One sentence for people, which may change'),
})

/** The forms of errors. */
export const dialectErrors = {
  OAuthError: z.object({
    error: z
      .enum([
        'invalid_request',
        'invalid_grant',
        'invalid_target',
        'invalid_scope',
        'unsupported_grant_type',
        'temporarily_unavailable',
        'server_error',
      ])
      .describe('What went wrong (RFC 6749, section 5.2; RFC 8693, section 2.2.2)'),
    error_description: text.describe('One sentence for people, which may change'),
  }),
  FlagError: flagError,
  FlagManifestError: z.object({
    error: z
      .object({
        message: text.describe('One sentence for people, which may change'),
        status: z.number().int().describe('Status of the answer'),
      })
      .describe('What went wrong'),
  }),
} as const

const flag = z
  .object({
    key: text.describe('Key of the flag: the name of its variable'),
    value: z.unknown().describe('Value of the declared type; a text without one'),
    reason: z.enum(['STATIC', 'SPLIT', 'TARGETING_MATCH']).describe('How the value was chosen'),
    variant: text.describe('Label or side of the value of a roll, otherwise default'),
    metadata: z
      .object({
        kind: z.enum(kindNames).describe('Kind of the variable'),
        declaredType: field.declaredType.optional().describe('Declared type of the variable; absent: none'),
      })
      .describe('What the variable is'),
  })
  .meta({ id: 'Flag' })

const eventStream = z.object({
  type: z.literal('sse').describe('Server-sent events'),
  endpoint: z
    .object({ requestUri: text.describe('Path and query, with a ticket that expires') })
    .describe('Where the stream is'),
  inactivityDelaySec: z.number().int().describe('How long a hidden client keeps the stream, in seconds'),
})

const evaluationRequest = z.object({
  context: z
    .looseObject({
      targetingKey: field.seed.nullable().optional().describe('Seed of a roll; null or absent: none'),
      rollKey: field.key.nullable().optional().describe('Key of the seed, such as an experiment; null or absent: none'),
    })
    .describe('Who asks; all other attributes are for targeting rules'),
})

const manifestFlag = z.object({
  key: text.describe('Key of the flag: the name of its variable'),
  type: z.enum(['string', 'boolean', 'integer', 'float', 'object']).describe('Type of the generated code'),
  defaultValue: z
    .unknown()
    .describe('Empty value of the type, to which generated code falls back; never that of the stage'),
  description: text.optional().describe('What the variable is for; absent: it has no description'),
})

const evaluates = {
  tag: 'OFREP',
  method: 'POST',
  auth: 'evaluator',
  contentType: 'application/json',
  request: evaluationRequest,
  error: 'FlagError',
  errors: errorsOf(endpoints.evaluate),
} as const

/** Errors of an endpoint that needs no credential and reads no body. */
const openErrors = [
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'SERVICE_UNAVAILABLE',
] as const satisfies readonly ErrorCode[]
const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
const jwtTypes = ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token']

export const dialects = {
  tokenExchange: {
    method: 'POST',
    path: '/oauth/token',
    tag: 'Trusts',
    summary: 'Exchange a token of another service for an access token (OAuth 2.0, RFC 8693)',
    auth: 'none',
    contentType: 'application/x-www-form-urlencoded',
    request: z.object({
      grant_type: z.literal(tokenExchangeGrant).describe('The grant of RFC 8693'),
      audience: text.describe('Id of the trust'),
      subject_token: text.describe('JWT of the other service'),
      subject_token_type: z.enum(jwtTypes).describe('Type of the subject token'),
      requested_token_type: z.literal(accessTokenType).optional().describe('Type of the answer; absent: the same'),
    }),
    response: () =>
      z.object({
        access_token: text.describe('Access token (svc_at_…)'),
        issued_token_type: z.literal(accessTokenType).describe('Type of the access token'),
        token_type: z.literal('Bearer').describe('How the access token is sent'),
        expires_in: z.number().int().describe('How long the access token is valid, in seconds'),
      }),
    error: 'OAuthError',
    errors: ['PAYLOAD_TOO_LARGE', 'INVALID_REQUEST', ...openErrors],
  },
  oauthMetadata: {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    tag: 'Trusts',
    summary: 'Show where tokens are exchanged (RFC 8414)',
    auth: 'none',
    response: () =>
      z.object({
        issuer: z.url().describe('Address of the service'),
        token_endpoint: z.url().describe('Address at which tokens are exchanged'),
        response_types_supported: z.array(text).describe('None: there is no authorization endpoint'),
        grant_types_supported: z.array(z.literal(tokenExchangeGrant)).describe('Grants of the token endpoint'),
        token_endpoint_auth_methods_supported: z.array(z.literal('none')).describe('How clients prove who they are'),
      }),
    error: 'OAuthError',
    errors: openErrors,
  },
  ofrepEvaluate: {
    ...evaluates,
    path: '/ofrep/v1/evaluate/flags/{key}',
    summary: 'Evaluate one flag (OFREP 0.3.0)',
    pathParameters: { key: 'Key of the flag: the name of its variable' },
    response: () => flag,
  },
  ofrepEvaluateAll: {
    ...evaluates,
    path: '/ofrep/v1/evaluate/flags',
    summary: 'Evaluate all flags of a stage (OFREP 0.3.0)',
    hasEtag: true,
    response: () =>
      z.object({
        flags: z.array(z.union([flag, flagError])).describe('All flags, or why one has no value'),
        eventStreams: z.array(eventStream).optional().describe('Streams that say when to evaluate again; absent: none'),
      }),
  },
  ofrepEvents: {
    method: 'GET',
    path: '/ofrep/v1/events',
    tag: 'OFREP',
    summary: 'Receive server-sent events that say when to evaluate again (OFREP 0.3.0)',
    auth: 'ticket',
    streams: true,
    response: () => z.object({ type: z.literal('refetchEvaluation').describe('Evaluate again') }),
    error: 'Error',
    errors: errorsOf(endpoints.events),
  },
  flagManifest: {
    method: 'GET',
    path: '/openfeature/v0/manifest',
    tag: 'OFREP',
    summary: 'Show the flags of a stage for the code generators of the OpenFeature command line',
    auth: 'caller',
    response: () => z.object({ flags: z.array(manifestFlag).describe('Ordered by key') }),
    error: 'FlagManifestError',
    errors: errorsOf(endpoints.manifest),
  },
} as const satisfies Record<string, DialectRow>

/** Name of an endpoint of another standard than the API, in `openapi.json`, logs and metrics. */
export type DialectName = keyof typeof dialects
