/** Steps that the paths of the Vault protocol share. */
import type { Endpoint, Place, Verb } from '@rollkey/contract'
import { forbidden } from '../../access/forbidden.ts'
import type { Caller } from '../../auth/authenticate.ts'
import { ApiError } from '../../base/api-error.ts'
import type { DialectRoute, VaultName } from '../dialect.ts'
import type { RequestContext } from '../request-context.ts'
import { allow } from '../steps/allow.ts'
import { authenticate, byHeader, type Identify } from '../steps/authenticate.ts'
import { assertScope } from '../steps/authorize.ts'
import { countRequest } from '../steps/count-request.ts'
import type { StepServices } from '../steps/index.ts'
import { preflight } from '../steps/preflight.ts'
import type { Step } from '../steps/step.ts'
import { vaultDialect } from './vault-dialect.ts'

export const root = '^/vault/+v1/'
export const slug = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}'

/** What the path and the headers of a request name. */
export interface RequestedPlace extends Place {
  readonly orgSlug: string
}

/** A request whose place is known. */
export type PlacedContext = Omit<RequestContext<'list'>, 'body'> & {
  readonly body: RequestedPlace & { readonly projectSlug: string; readonly stageSlug: string }
}

/** What the paths are built with. */
export interface VaultParts extends StepServices {
  /** The project that the mount `secret` stands for; undefined: the one of that name. */
  readonly secretProject: string | undefined
}

/** Returns the name of a variable in the path, which some clients do not encode. */
export function nameIn({ params: { name } }: Pick<RequestContext, 'params'>): string | undefined {
  if (name === undefined) return undefined
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** Returns the organization that the header of a namespace names, if there is one. */
export function namespaceOf({ request: { headers } }: Pick<RequestContext, 'request'>): string | undefined {
  const header = headers['x-vault-namespace']
  if (header === undefined) return undefined
  const namespace = String(header).replace(/^\/+|\/+$/g, '')
  return namespace === '' ? undefined : namespace
}

/** Returns the place of a request. Its mount is a project. */
export function placeIn(
  context: Pick<RequestContext, 'params' | 'caller'>,
  { secretProject }: Pick<VaultParts, 'secretProject'>,
): RequestedPlace {
  const { mount, stageSlug } = context.params
  const projectSlug = mount === undefined ? undefined : projectOf(mount, secretProject)
  return { orgSlug: (context.caller as Caller).orgSlug, projectSlug, stageSlug }
}

/** Returns the project that a mount stands for. */
export function projectOf(mount: string, secretProject: string | undefined): string {
  return mount === 'secret' ? (secretProject ?? mount) : mount
}

/** Takes the place in place of a body. */
const takePlace =
  (parts: VaultParts): Step =>
  (context) => {
    context.body = placeIn(context, parts) as never
  }

/**
 * Throws FORBIDDEN where the caller lacks the verb, also at a place that does not exist for them. Elsewhere such a place looks absent,
 * but clients of this protocol delete what they copied when it is absent.
 */
const assertVerb =
  (verb: Verb): Step =>
  ({ body, permissions, caller }) => {
    const { projectSlug, stageSlug } = body as RequestedPlace
    const place = { projectSlug, stageSlug }
    const has = verb === 'list' ? permissions.isVisible(place) : permissions.allows(verb, place)
    if (!has) throw forbidden(verb, place, caller as Caller)
  }

/** Refuses the tokens of the identity provider, which are for people in a browser. */
const assertSession: Step = ({ caller }) => {
  if (!(caller as Caller).session) throw new ApiError('UNAUTHORIZED')
}

/** Throws INVALID_ORG_SCOPE for the namespace of another organization. */
const assertNamespace: Step = (context) => {
  const namespace = namespaceOf(context)
  if (namespace !== undefined && namespace !== (context.caller as Caller).orgSlug)
    throw new ApiError(
      'INVALID_ORG_SCOPE',
      'X-Vault-Namespace is not the organization of the token: correct it, or leave it out.',
    )
}

/** Refuses a request for a wrapped answer, because its client would pass the secret itself on as the token of a wrapping. */
export const refuseWrapping: Step = ({ request: { headers } }) => {
  const ttl = headers['x-vault-wrap-ttl'] ?? ''
  if (ttl !== '' && ttl !== '0')
    throw new ApiError('INVALID_REQUEST', 'Rollkey does not wrap answers: send the request without X-Vault-Wrap-TTL.')
}

/** Returns the steps that identify and count the caller of a path. */
export function identified(
  name: VaultName,
  identify: Identify,
  { cors, access, rateLimits, unreadAnswers }: StepServices,
  row: Pick<Endpoint, 'auth' | 'metered' | 'expensive'>,
  answerBytes: number,
): Step[] {
  return [
    preflight(cors),
    authenticate(identify, access, rateLimits),
    assertSession,
    countRequest(name, row, answerBytes, rateLimits, unreadAnswers),
    assertNamespace,
    refuseWrapping,
  ]
}

export function byVaultToken({ authentication }: StepServices): Identify {
  return byHeader('x-vault-token', 'caller', authentication)
}

/** A path that reads, like the endpoint of the API that `row` describes. */
export interface ReadRoute {
  readonly name: VaultName
  readonly path: string
  readonly methods: readonly string[]
  readonly row: Endpoint
  /** Memory that is reserved for the answer. */
  readonly answerBytes: number
  readonly handler: (context: PlacedContext) => object | Promise<object>
}

/** Returns the route of a path that reads. */
export function readRoute(
  parts: VaultParts,
  { name, path, methods, row, answerBytes, handler }: ReadRoute,
): DialectRoute {
  const identify = byVaultToken(parts)
  return {
    path: new RegExp(`${root}${path}$`),
    methods,
    name,
    endpoint: row,
    identify,
    steps: [
      ...identified(name, identify, parts, row, answerBytes),
      takePlace(parts),
      assertScope(row),
      ...(row.verb === 'none' ? [] : [allow(row, parts.access, parts.authentication)]),
      ...(row.verb === 'none' || row.at === 'any' ? [] : [assertVerb(row.verb)]),
      handler as unknown as Step,
    ],
    dialect: vaultDialect,
  }
}
