/** What clients ask before they read: whether the service is well, which projects there are as mounts, and what the token allows. */
import { endpoints, limits } from '@rollkey/contract'
import { z } from 'zod'
import { forbidden } from '../../access/forbidden.ts'
import type { Permissions } from '../../access/permissions.ts'
import type { Projects } from '../../stages/projects.ts'
import type { DialectRoute } from '../dialect.ts'
import { unknownBytes } from '../limits/unread-answers.ts'
import { Reply } from '../reply.ts'
import type { RequestContext } from '../request-context.ts'
import { allow } from '../steps/allow.ts'
import { countRequest } from '../steps/count-request.ts'
import { preflight } from '../steps/preflight.ts'
import { readJson } from '../steps/read-body.ts'
import { validate } from '../steps/validate.ts'
import { answerOf, vaultType } from './answer.ts'
import {
  byVaultToken,
  identified,
  projectOf,
  readRoute,
  root,
  slug,
  type PlacedContext,
  type VaultParts,
} from './steps.ts'
import { vaultDialect } from './vault-dialect.ts'

export interface VaultSystemParts extends VaultParts {
  readonly projects: Projects
  /** Returns whether the service can read and write values. */
  readonly isReady: () => Promise<boolean>
  /** The version of this service. */
  readonly version: string
}

const anyone = { method: 'GET', auth: 'none', verb: 'none', errors: [] } as const

/** Answers what load balancers and clients ask: sealed is a service that cannot read its store. */
function health({ isReady, version, clock }: VaultSystemParts) {
  return async (): Promise<object> => {
    const isSealed = !(await isReady())
    return new Reply(isSealed ? 503 : 200, vaultType, {
      initialized: true,
      sealed: isSealed,
      standby: false,
      performance_standby: false,
      replication_performance_mode: 'disabled',
      replication_dr_mode: 'disabled',
      server_time_utc: Math.floor(clock.now() / 1_000),
      version: `${version}+rollkey`,
      cluster_name: 'rollkey',
      cluster_id: '',
    })
  }
}

function sealStatus({ isReady, version }: VaultSystemParts) {
  return async (): Promise<object> =>
    new Reply(200, vaultType, {
      type: 'rollkey',
      initialized: true,
      sealed: !(await isReady()),
      t: 1,
      n: 1,
      progress: 0,
      nonce: '',
      version: `${version}+rollkey`,
      build_date: '',
      migration: false,
      cluster_name: 'rollkey',
      cluster_id: '',
      recovery_seal: false,
      storage_type: '',
    })
}

/** A project as a mount. */
const mount = {
  accessor: '',
  config: { default_lease_ttl: 0, force_no_cache: false, max_lease_ttl: 0 },
  deprecation_status: 'supported',
  description: '',
  external_entropy_access: false,
  local: false,
  options: { version: '2' },
  plugin_version: '',
  running_plugin_version: '',
  running_sha256: '',
  seal_wrap: false,
  type: 'kv',
  uuid: '',
}

function mountOf({ body, permissions, caller }: PlacedContext): typeof mount {
  const { projectSlug } = body
  if (!permissions.isVisible({ projectSlug })) throw forbidden('list', { projectSlug }, caller)
  return { ...mount, accessor: `kv_${projectSlug}` }
}

function allMounts({ projects }: VaultSystemParts) {
  return async ({ caller, permissions }: PlacedContext): Promise<Record<string, typeof mount>> => {
    const slugs = await projects.slugs(caller.orgId, (place) => permissions.isVisible(place))
    return Object.fromEntries([...slugs.keys()].map((each) => [`${each}/`, { ...mount, accessor: `kv_${each}` }]))
  }
}

const logins = Object.fromEntries(
  ['jwt', 'kubernetes', 'token'].map((type) => [`${type}/`, { type, description: '', options: null, config: {} }]),
)

const capabilitiesRequest = z.object({
  path: z.string().optional(),
  paths: z.array(z.string()).max(limits.entries).optional(),
})

const secretPath = new RegExp(
  `^/?(?<mount>${slug})/(?<kind>data|metadata|subkeys)(?:/(?<stageSlug>${slug})(?:/.*)?)?/?$`,
)

/** Returns what the verbs at a path allow, as Vault calls it. */
function capabilitiesAt(path: string, permissions: Permissions, secretProject: string | undefined): string[] {
  const { mount: named = '', kind, stageSlug } = secretPath.exec(path)?.groups ?? {}
  if (kind === undefined) return ['deny']
  const place = { projectSlug: projectOf(named, secretProject), stageSlug }
  const ofValues = [
    ...(permissions.allows('read', place) ? ['read'] : []),
    ...(permissions.allows('write', place) ? ['create', 'patch', 'update'] : []),
  ]
  const ofNames = permissions.isVisible(place) ? (kind === 'metadata' ? ['list', 'read'] : ['read']) : []
  const allowed = kind === 'data' ? ofValues : ofNames
  return allowed.length === 0 ? ['deny'] : allowed.toSorted()
}

function capabilities({ secretProject }: VaultSystemParts) {
  return ({ body, permissions, requestId }: RequestContext): object => {
    const { path, paths = [] } = body as unknown as z.infer<typeof capabilitiesRequest>
    const requested = path === undefined ? paths : [path, ...paths]
    const found = requested.map((each) => [each, capabilitiesAt(each, permissions, secretProject)] as const)
    const [only] = found.length === 1 ? found : []
    const data = { ...(only && { capabilities: only[1] }), ...Object.fromEntries(found) }
    return answerOf(requestId, { data })
  }
}

function openRoute(
  { cors, rateLimits, unreadAnswers }: VaultSystemParts,
  path: string,
  handler: () => Promise<object>,
): DialectRoute {
  const name = 'vaultHealth'
  return {
    path: new RegExp(`${root}${path}$`),
    methods: ['GET', 'HEAD'],
    name,
    endpoint: anyone,
    steps: [preflight(cors), countRequest(name, anyone, 0, rateLimits, unreadAnswers), handler],
    dialect: vaultDialect,
  }
}

function mountRoutes(parts: VaultSystemParts): DialectRoute[] {
  const mounts = allMounts(parts)
  const common = { name: 'vaultMounts', methods: ['GET'], row: endpoints.projects, answerBytes: unknownBytes } as const
  const one = `/(?<mount>${slug})(?:/.*)?`
  const inside = 'sys/internal/ui/mounts'
  return [
    {
      ...common,
      path: inside,
      handler: async (context: PlacedContext) =>
        answerOf(context.requestId, { data: { auth: logins, secret: await mounts(context) } }),
    },
    {
      ...common,
      path: inside + one,
      handler: (context: PlacedContext) => {
        const data = { ...mountOf(context), path: `${context.params['mount']}/` }
        return answerOf(context.requestId, { data })
      },
    },
    {
      ...common,
      path: 'sys/mounts',
      methods: ['GET', 'LIST'],
      handler: async (context: PlacedContext) => {
        const data = await mounts(context)
        if (context.request.method === 'LIST') return answerOf(context.requestId, { data: { keys: Object.keys(data) } })
        // Vault repeats the data beside it, for clients of its first version.
        return answerOf(context.requestId, { data }, data)
      },
    },
    {
      ...common,
      path: `sys/mounts${one}`,
      handler: (context: PlacedContext) => {
        const data = mountOf(context)
        return answerOf(context.requestId, { data }, data)
      },
    },
  ].map((route) => readRoute(parts, route))
}

function capabilitiesRoute(parts: VaultSystemParts): DialectRoute {
  const identify = byVaultToken(parts)
  const row = endpoints.projects
  return {
    path: new RegExp(`${root}sys/capabilities-self$`),
    methods: ['POST', 'PUT'],
    name: 'vaultToken',
    endpoint: row,
    identify,
    steps: [
      ...identified('vaultToken', identify, parts, row, unknownBytes),
      readJson(limits.bodyBytes, parts.pendingBodies),
      validate({ request: capabilitiesRequest }),
      allow(row, parts.access, parts.authentication),
      capabilities(parts),
    ],
    dialect: vaultDialect,
  }
}

export function vaultSystemRoutes(parts: VaultSystemParts): DialectRoute[] {
  return [
    openRoute(parts, 'sys/health', health(parts)),
    openRoute(parts, 'sys/seal-status', sealStatus(parts)),
    ...mountRoutes(parts),
    capabilitiesRoute(parts),
  ]
}
