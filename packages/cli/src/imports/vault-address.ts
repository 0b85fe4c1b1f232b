/** Reads secrets of a Vault, an OpenBao or this service (docs/vault.md) by version 2 of the KV API. */
import { CliError, exit, usage } from '../frame/cli-error.ts'
import type { Context } from '../frame/context.ts'
import { joinNames } from '../formats/refuse.ts'
import { secretOf, unreadable, type Entry, type ImportResult } from './entry.ts'
import { expectWithinLimits } from './index.ts'
import { isObject, parseJson } from './json.ts'
import { Source, type SourceProgram } from './source.ts'
import { vault } from './vault.ts'

const program: SourceProgram = {
  name: 'Vault',
  tokenVariable: 'VAULT_TOKEN',
  tokenAdvice: 'a token',
  headers: (token, { VAULT_NAMESPACE: namespace }) => ({
    'x-vault-token': token,
    // An agent passes only requests with it.
    'x-vault-request': 'true',
    ...(namespace && { 'x-vault-namespace': namespace }),
  }),
}

/** An entry, and the path of its secret. */
interface Found {
  readonly entry: Entry
  readonly secret: string
}

/** Reads the secret at a path, or all secrets below one that ends with `/`. Throws INVALID_IMPORT, or what a source throws. */
export async function importVault(context: Context, address: string, path: string | undefined): Promise<ImportResult> {
  if (path === undefined || !/^[^/]+\/./.test(path))
    throw usage('--path names no secret (expected MOUNT/PATH, or MOUNT/FOLDER/ for all secrets in a folder)')
  const source = new Source(context, program, address)
  const mount = await mountOf(source, path)
  const inside = path.slice(mount.length)
  const notes: string[] = []
  const reader = new SecretReader(source, mount, (note) => notes.push(note))
  const found = await (inside.endsWith('/') || inside === '' ? reader.folder(inside) : reader.secret(inside))
  if (!found)
    throw missing(`There is no secret ${path}, or its last version is deleted. For a folder, end --path with /`)
  if (found.length === 0) throw missing(`There are no secrets in ${path}`)
  expectWithinLimits(
    found.map(({ entry }) => entry),
    path,
  )
  expectDistinct(found)
  const variables = found.map(({ entry, secret }) => ({
    entry: secretOf(entry),
    details: entry.declaredType === undefined ? secret : `${secret} (${entry.declaredType})`,
  }))
  return { variables, unmapped: [], notes }
}

/** Returns the mount of a path, which can have several parts. A token need not see the list of mounts. */
async function mountOf(source: Source, path: string): Promise<string> {
  const text = await source.read(`v1/sys/internal/ui/mounts/${encoded(path)}`, [400, 403, 404])
  const first = path.slice(0, path.indexOf('/') + 1)
  if (text === undefined) return first
  const answer = parseJson(text, path)
  const {
    path: mount = first,
    type,
    options,
  } = (isObject(answer) && isObject(answer['data']) ? answer['data'] : {}) as {
    readonly path?: string
    readonly type?: string
    readonly options?: { readonly version?: string } | null
  }
  if (type === 'kv' && options?.version === '2' && path.startsWith(mount)) return mount
  throw unreadable(
    path,
    '',
    `${mount} is not version 2 of the KV engine. Pipe vault kv get -format=json into rollkey import -`,
  )
}

class SecretReader {
  readonly #source: Source
  readonly #mount: string
  readonly #note: (sentence: string) => void

  constructor(source: Source, mount: string, note: (sentence: string) => void) {
    this.#source = source
    this.#mount = mount
    this.#note = note
  }

  /** Reads a secret. Its keys are the names, after a prefix. Returns undefined for none and for one that is deleted. */
  async secret(path: string, prefix = ''): Promise<Found[] | undefined> {
    const secret = this.#mount + path
    const text = await this.#source.read(`v1/${encoded(`${this.#mount}data/${path}`)}`)
    if (text === undefined) return undefined
    const entries = vault(text, secret, this.#note)
    const { warnings } = parseJson(text, secret) as { readonly warnings?: unknown }
    if (Array.isArray(warnings)) for (const warning of warnings) this.#note(`${secret}: ${String(warning)}`)
    return entries.map((entry) => ({ secret, entry: { ...entry, name: prefix + entry.name } }))
  }

  /** Reads all secrets in a folder and its folders. A name begins with the path below the first folder, joined by `_`. */
  async folder(path: string, prefix = ''): Promise<Found[]> {
    const text = await this.#source.read(`v1/${encoded(`${this.#mount}metadata/${path}`)}?list=true`)
    const found: Found[] = []
    for (const key of text === undefined ? [] : keysIn(text, this.#mount + path)) {
      const below = `${prefix}${key.replace(/\/$/, '')}_`
      const inside = await (key.endsWith('/') ? this.folder(path + key, below) : this.secret(path + key, below))
      // A list has deleted secrets too.
      if (!inside) this.#note(`${this.#mount}${path}${key} is left out: its last version is deleted.`)
      found.push(...(inside ?? []))
    }
    return found
  }
}

function keysIn(text: string, folder: string): readonly string[] {
  const answer = parseJson(text, folder)
  const keys = isObject(answer) && isObject(answer['data']) ? answer['data']['keys'] : undefined
  if (Array.isArray(keys) && keys.every((key) => typeof key === 'string' && key !== '' && key !== '/')) return keys
  throw unreadable(folder, '', 'Expected a list of Vault with keys')
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

function expectDistinct(found: readonly Found[]): void {
  const seen = new Set<string>()
  const repeated = found.filter(({ entry: { name } }) => seen.size === seen.add(name).size)
  if (repeated.length === 0) return
  const names = joinNames(repeated.map(({ entry, secret }) => `${entry.name} of ${secret}`))
  throw unreadable(names, '', 'Another secret gives the same name. Import them by separate paths')
}

function missing(what: string): CliError {
  return new CliError('SOURCE_NOT_FOUND', what, { status: exit.notFound, command: 'rollkey import --help' })
}
