/** A client of Vault's HTTP API that checks each answer against the shapes that Vault publishes. */
import { z } from 'zod'
import { answerOf, type Answer } from './client.ts'

const time = z.iso.datetime()
const sentences = z.array(z.string())
const version = z.strictObject({
  created_time: time,
  custom_metadata: z.null(),
  deletion_time: z.literal(''),
  destroyed: z.literal(false),
  version: z.int().nonnegative(),
})
const auth = z.strictObject({
  client_token: z.string().min(1),
  accessor: z.string(),
  policies: sentences,
  token_policies: sentences,
  metadata: z.record(z.string(), z.string()),
  lease_duration: z.int().nonnegative(),
  renewable: z.boolean(),
  entity_id: z.string(),
  token_type: z.string(),
  orphan: z.boolean(),
  mfa_requirement: z.null(),
  num_uses: z.int(),
})
const keptVersion = z.strictObject({ created_time: time, deletion_time: z.literal(''), destroyed: z.literal(false) })
const mount = z.looseObject({
  accessor: z.string(),
  config: z.looseObject({ default_lease_ttl: z.int(), force_no_cache: z.boolean(), max_lease_ttl: z.int() }),
  description: z.string(),
  external_entropy_access: z.boolean(),
  local: z.boolean(),
  options: z.strictObject({ version: z.literal('2') }),
  seal_wrap: z.boolean(),
  type: z.literal('kv'),
  uuid: z.string(),
})

/** What the data of an answer is, by the path. */
const shapes: readonly (readonly [RegExp, z.ZodType])[] = [
  [
    /^auth\/token\/lookup-self$/,
    z.looseObject({ ttl: z.int(), type: z.string(), expire_time: time, policies: sentences }),
  ],
  [/^auth\//, z.null()],
  [/^sys\/capabilities-self$/, z.record(z.string(), sentences)],
  [/^sys\/mounts$/, z.union([z.record(z.string(), mount), z.strictObject({ keys: sentences })])],
  [/^sys\/internal\/ui\/mounts$/, z.strictObject({ auth: z.looseObject({}), secret: z.record(z.string(), mount) })],
  [/^sys\//, mount],
  [/^[^/]+\/data\//, z.union([z.strictObject({ data: z.record(z.string(), z.string()), metadata: version }), version])],
  [/^[^/]+\/subkeys\//, z.strictObject({ subkeys: z.record(z.string(), z.null()), metadata: version })],
  [
    /^[^/]+\/metadata/,
    z.union([
      z.strictObject({ keys: sentences.min(1) }),
      z.strictObject({
        cas_required: z.boolean(),
        created_time: time,
        current_version: z.int(),
        custom_metadata: z.null(),
        delete_version_after: z.string(),
        max_versions: z.int(),
        oldest_version: z.int(),
        updated_time: time,
        versions: z.record(z.string(), keptVersion),
      }),
    ]),
  ],
]

const envelope = {
  request_id: z.string().min(1),
  lease_id: z.literal(''),
  renewable: z.literal(false),
  lease_duration: z.literal(0),
  wrap_info: z.null(),
  warnings: sentences.min(1).nullable(),
  auth: auth.nullable(),
}

/** Throws unless the answer is one of Vault. */
function assertOfVault(path: string, { status, text, body, headers }: Answer): void {
  if (status === 204) return
  if (headers.get('content-type') !== 'application/json') throw new Error(`${path} ${status}: not JSON`)
  if (!headers.get('x-request-id')) throw new Error(`${path} ${status}: no x-request-id`)
  if (status >= 400 && !path.startsWith('sys/health')) {
    z.strictObject({ errors: sentences }).parse(body, { reportInput: true })
    return
  }
  if (/^sys\/(?:health|seal-status)/.test(path)) {
    z.looseObject({ initialized: z.boolean(), sealed: z.boolean(), version: z.string() }).parse(body)
    return
  }
  const shape = shapes.find(([pattern]) => pattern.test(path))?.[1]
  if (!shape) throw new Error(`${path} ${status}: no shape is known for ${text}`)
  // A mount repeats its data beside it.
  const object = path.startsWith('sys/mounts') ? z.looseObject : z.strictObject
  object({ ...envelope, data: shape }).parse(body, { reportInput: true })
}

export interface VaultExtras {
  readonly token?: string | undefined
  readonly namespace?: string
  readonly body?: unknown
  readonly raw?: string
  readonly headers?: Record<string, string>
}

export class VaultClient {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** Sends a request to a path below `/vault/v1/`. Throws unless the answer is one of Vault. */
  async send(
    method: string,
    path: string,
    { token, namespace, body, raw, headers }: VaultExtras = {},
  ): Promise<Answer> {
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(`${this.#url}/vault/v1/${path}`, {
      method,
      headers: {
        ...(token !== undefined && { 'x-vault-token': token }),
        ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    })
    const answer = await answerOf(response)
    assertOfVault(path.split('?', 1)[0] ?? '', answer)
    return answer
  }

  get(path: string, extras: VaultExtras = {}): Promise<Answer> {
    return this.send('GET', path, extras)
  }

  list(path: string, extras: VaultExtras = {}): Promise<Answer> {
    return this.send('LIST', path, extras)
  }

  put(path: string, body: unknown, extras: VaultExtras = {}): Promise<Answer> {
    return this.send('PUT', path, { ...extras, body })
  }

  patch(path: string, body: unknown, extras: VaultExtras = {}): Promise<Answer> {
    return this.send('PATCH', path, { ...extras, body })
  }
}
