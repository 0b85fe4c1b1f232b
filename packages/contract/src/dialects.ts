/** Endpoints outside `/v1`, which follow another standard: OAuth 2.0 and OFREP. They are rows for `openapi.json`. */
import { z } from 'zod'
import { endpoints, errorsOf } from './endpoints.ts'
import type { ErrorCode } from './errors.ts'
import * as field from './fields.ts'
import { kindNames } from './rules/kinds.ts'

/** A POST endpoint of another standard. */
export interface DialectRow {
  readonly path: string
  /** Tag of openapi.json. */
  readonly tag: 'OFREP' | 'Trusts'
  readonly summary: string
  /** Parameters of the path, by name, with their descriptions. Absent: it has none. */
  readonly pathParameters?: Readonly<Record<string, string>>
  /** Whether it needs a credential and takes a request key: it evaluates a stage, which may stand before the path. */
  readonly evaluates: boolean
  /** Whether an answer has an ETag. */
  readonly hasEtag?: true
  readonly contentType: 'application/json' | 'application/x-www-form-urlencoded'
  readonly request: z.ZodType
  readonly response: z.ZodType
  /** Name of its form of an error in `dialectErrors`. */
  readonly error: keyof typeof dialectErrors
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

const evaluates = {
  tag: 'OFREP',
  evaluates: true,
  contentType: 'application/json',
  request: evaluationRequest,
  error: 'FlagError',
  errors: errorsOf(endpoints.evaluate),
} as const

const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
const jwtTypes = ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token']

export const dialects = {
  tokenExchange: {
    path: '/oauth/token',
    tag: 'Trusts',
    summary: 'Exchange a token of another service for an access token (OAuth 2.0, RFC 8693)',
    evaluates: false,
    contentType: 'application/x-www-form-urlencoded',
    request: z.object({
      grant_type: z.literal('urn:ietf:params:oauth:grant-type:token-exchange').describe('The grant of RFC 8693'),
      audience: text.describe('Id of the trust'),
      subject_token: text.describe('JWT of the other service'),
      subject_token_type: z.enum(jwtTypes).describe('Type of the subject token'),
      requested_token_type: z.literal(accessTokenType).optional().describe('Type of the answer; absent: the same'),
    }),
    response: z.object({
      access_token: text.describe('Access token (svc_at_…)'),
      issued_token_type: z.literal(accessTokenType).describe('Type of the access token'),
      token_type: z.literal('Bearer').describe('How the access token is sent'),
      expires_in: z.number().int().describe('How long the access token is valid, in seconds'),
    }),
    error: 'OAuthError',
    errors: [
      'RATE_LIMITED',
      'PAYLOAD_TOO_LARGE',
      'INVALID_REQUEST',
      'REQUEST_TIMEOUT',
      'HEADERS_TOO_LARGE',
      'INTERNAL',
      'SERVICE_UNAVAILABLE',
    ],
  },
  ofrepEvaluate: {
    ...evaluates,
    path: '/ofrep/v1/evaluate/flags/{key}',
    summary: 'Evaluate one flag (OFREP 0.3.0)',
    pathParameters: { key: 'Key of the flag: the name of its variable' },
    response: flag,
  },
  ofrepEvaluateAll: {
    ...evaluates,
    path: '/ofrep/v1/evaluate/flags',
    summary: 'Evaluate all flags of a stage (OFREP 0.3.0)',
    hasEtag: true,
    response: z.object({
      flags: z.array(z.union([flag, flagError])).describe('All flags, or why one has no value'),
      eventStreams: z.array(eventStream).optional().describe('Streams that say when to evaluate again; absent: none'),
    }),
  },
} as const satisfies Record<string, DialectRow>
