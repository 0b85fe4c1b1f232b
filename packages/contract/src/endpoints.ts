/**
 * The API, one row per endpoint. Routing, authentication, validation, error answers, OpenAPI and the SDK all derive from
 * these rows (docs/api.md).
 */
import { z } from 'zod'
import { access } from './endpoints/access.ts'
import { changes } from './endpoints/changes.ts'
import { declarations } from './endpoints/declarations.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { history } from './endpoints/history.ts'
import { hooks } from './endpoints/hooks.ts'
import { keys } from './endpoints/keys.ts'
import { organization } from './endpoints/organization.ts'
import { projects } from './endpoints/projects.ts'
import { rulesets } from './endpoints/rulesets.ts'
import { sessions } from './endpoints/sessions.ts'
import { tokens } from './endpoints/tokens.ts'
import { trusts } from './endpoints/trusts.ts'
import { variables } from './endpoints/variables.ts'
import { web } from './endpoints/web.ts'
import type { ErrorCode } from './errors.ts'
import type * as field from './fields.ts'

/** Endpoints by resource, which are the tags of openapi.json. */
export const resources = {
  Variables: { about: 'Variables of a stage: evaluations, reads and writes', rows: variables },
  'In-process decisions': { about: 'What programs decide by, and how often they did', rows: rulesets },
  History: { about: 'Former states of variables, the audit log and the counts of rolls', rows: history },
  Changes: { about: 'Changes of a stage that are proposed, reviewed and applied later, and ramps', rows: changes },
  Projects: { about: 'Projects and their stages', rows: projects },
  Declarations: { about: 'What a project expects of its variables', rows: declarations },
  Organization: { about: 'The organization as a whole: settings, usage, search and live events', rows: organization },
  Access: { about: 'Who may do what: grants, groups, roles and protected stages', rows: access },
  Tokens: { about: 'Service tokens, and the owner of a credential', rows: tokens },
  Trusts: { about: 'Trusts, which let tokens of other services be exchanged for access tokens', rows: trusts },
  'Client keys': { about: 'Keys with which web pages and mobile apps evaluate flags', rows: keys },
  Webhooks: { about: 'Webhooks, which tell other programs what happened', rows: hooks },
  Sessions: { about: 'Logins of command-line clients and their sessions', rows: sessions },
  Web: { about: 'What the dashboard needs before a sign-in', rows: web },
} as const satisfies Record<string, { readonly about: string; readonly rows: Record<string, Endpoint> }>

/**
 * All endpoints by name.
 *
 * @example
 * const { method, path } = endpoints.evaluate // 'POST', '/v1/env/evaluate'
 */
export const endpoints = {
  ...variables,
  ...rulesets,
  ...history,
  ...changes,
  ...projects,
  ...declarations,
  ...organization,
  ...access,
  ...tokens,
  ...trusts,
  ...keys,
  ...hooks,
  ...sessions,
  ...web,
} as const satisfies Record<string, Endpoint>

/** The name of an endpoint. */
export type EndpointName = keyof typeof endpoints
/** The parsed request of an endpoint. */
export type Request<Name extends EndpointName> = z.output<(typeof endpoints)[Name]['request']>
/** The answer of an endpoint, without `requestId`. */
export type Response<Name extends EndpointName> = z.output<ReturnType<(typeof endpoints)[Name]['response']>>

/** The role of a member. */
export type Role = z.output<typeof field.role>

/**
 * Returns whether the request names the organization, which must be that of the credential. Never throws.
 *
 * @example
 * isScoped(endpoints.list) // true
 * isScoped(endpoints.whoami) // false
 */
export function isScoped({ request }: Endpoint): boolean {
  return request instanceof z.ZodObject && 'orgSlug' in request.shape
}

/**
 * Returns whether a client may send a call again although its answer was lost. Never throws.
 *
 * @example
 * isRepeatable(endpoints.list) // true
 * isRepeatable(endpoints.tokenCreate) // false
 */
export function isRepeatable({ method, verb, repeatable }: Endpoint): boolean {
  return method === 'GET' || verb === 'list' || verb === 'read' || repeatable === true
}

/**
 * Returns every error code that an endpoint can answer with, in the order of the checks. Never throws.
 *
 * @example
 * errorsOf(endpoints.manifest).includes('FORBIDDEN') // true
 */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const { auth } = endpoint
  const credentials: ErrorCode[] = auth === 'none' ? [] : ['UNAUTHORIZED', 'ORG_SCOPE_INVALID']
  // A client key, and a service token in a web page.
  const refused: ErrorCode[] = auth === 'none' || auth === 'provider' || isScoped(endpoint) ? [] : ['FORBIDDEN']
  const method: ErrorCode[] = auth === 'none' ? [] : ['COMPANY_SIGN_IN_REQUIRED', 'SECOND_FACTOR_MISSING']
  const body: ErrorCode[] = endpoint.method === 'POST' ? ['PAYLOAD_TOO_LARGE', 'INVALID_JSON'] : []
  const scoped: ErrorCode[] = isScoped(endpoint) ? ['INVALID_ORG_SCOPE', 'FORBIDDEN'] : []
  // A person who reads the values of a protected stage confirms it.
  const isConfirmed = endpoint.confirmation || endpoint.verb === 'read'
  const confirmed: ErrorCode[] = isConfirmed ? ['CONFIRMATION_REQUIRED'] : []
  const protectedBy: ErrorCode[] = endpoint.writesVariables ? ['STAGE_FROZEN', 'APPROVAL_REQUIRED'] : []
  // What neither evaluates nor lists is, or may be, recorded.
  const isAudited = endpoint.method === 'POST' && !endpoint.metered && endpoint.verb !== 'list'
  const audited: ErrorCode[] = isAudited ? ['AUDIT_NOT_DELIVERED'] : []
  const always: ErrorCode[] = ['REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE', 'INTERNAL', 'SERVICE_UNAVAILABLE']
  const first: ErrorCode[] = [
    ...credentials,
    ...refused,
    ...method,
    'RATE_LIMITED',
    ...body,
    'INVALID_REQUEST',
    ...scoped,
    ...confirmed,
    ...protectedBy,
  ]
  return [...new Set([...first, ...endpoint.errors, ...audited, ...always])]
}
