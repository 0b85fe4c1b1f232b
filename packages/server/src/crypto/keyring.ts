/**
 * Data keys: one per project (with room for several, for rotation) and one of the installation. Each is wrapped by
 * the KMS and stored so; unwrapped ones live in memory only. Unwrapping the installation's key at start is the check
 * that this is the right master key, before anything is written.
 */
import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { CoherentCache } from '../base/coherent-cache.ts'
import { KmsUnavailable } from '../base/fault.ts'
import * as store from '../storage/keys.ts'
import type { DataKeyRow } from '../storage/keys.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { CannotUnwrap, type Kms } from './kms/kms.ts'
import type { DataKey } from './seal.ts'

/** The one to seal with last; empty if none could be unwrapped. */
export type ProjectKeys = readonly DataKey[]

const keyBytes = 32
const idBytes = 16
const mostProjectsInMemory = 10_000
const installation = 'installation'
const rewrappedAtOnce = 100

/** A new data key that is not stored yet. */
export interface MintedKey {
  readonly row: DataKeyRow
  readonly key: DataKey
}

async function mint(kms: Kms, owner: string): Promise<MintedKey> {
  const bytes = randomBytes(keyBytes)
  const id = randomBytes(idBytes).toString('hex')
  const wrapped = await wrap(kms, bytes, contextOf(owner, id))
  return { row: { id, kms: kms.name, wrapped }, key: { id, key: createSecretKey(bytes) } }
}

/** Wrapped, and seen to unwrap: what a key has sealed that is lost, is lost too. */
async function wrap(kms: Kms, key: Buffer, context: string): Promise<Uint8Array> {
  const wrapped = await kms.wrap(key, context)
  const unwrapped = await kms.unwrap(wrapped, context).catch(orUndefined)
  if (unwrapped?.equals(key)) return wrapped
  throw new KmsUnavailable(
    `The KMS ${kms.name} does not give back what it wrapped: nothing was stored.`,
    'not given back',
  )
}

async function unwrap(kms: Kms, owner: string, row: DataKeyRow): Promise<DataKey> {
  return { id: row.id, key: createSecretKey(await kms.unwrap(row.wrapped, contextOf(owner, row.id))) }
}

/** Bound to each wrapped key, so that no project opens with the key of another. */
function contextOf(owner: string, keyId: string): string {
  return `rollkey data key ${owner} ${keyId}`
}

export class Keyring {
  readonly #sql: Sql
  readonly #kms: Kms
  readonly #installation: KeyObject
  readonly #projects = new CoherentCache<{ keys: ProjectKeys }>({ most: mostProjectsInMemory })

  private constructor(sql: Sql, kms: Kms, installationKey: KeyObject) {
    this.#sql = sql
    this.#kms = kms
    this.#installation = installationKey
  }

  /** Throws a sentence for the operator if the KMS has another master key than the store, or cannot be asked. */
  static async open(sql: Sql, kms: Kms, nowMs: number): Promise<Keyring> {
    const row = await store.installationKey(sql)
    if (row) return new Keyring(sql, kms, (await unwrapInstallation(kms, row)).key)
    const minted = await mint(kms, installation)
    const isFirst = await sql.tx((tx) => store.insertDataKey(tx, null, minted.row, nowMs))
    // Of the nodes that start on an empty store together, one makes the key and the others take that.
    return isFirst ? new Keyring(sql, kms, minted.key.key) : Keyring.open(sql, kms, nowMs)
  }

  /** The keys of a stored project. One that is damaged is left out: what it sealed does not open, the rest does. */
  async keysOf(projectId: string): Promise<ProjectKeys> {
    const entry = await this.#projects.get(projectId, () => this.#read(projectId))
    return entry?.keys ?? []
  }

  async #read(projectId: string): Promise<{ keys: ProjectKeys } | undefined> {
    const rows = await store.dataKeysOfProject(this.#sql, projectId)
    if (rows.length === 0) return undefined
    const keys = await Promise.all(rows.map((row) => unwrap(this.#kms, projectId, row).catch(orUndefined)))
    return { keys: keys.filter((key) => key !== undefined) }
  }

  /** A key for a project that is about to be stored; `keep` stores it in the same transaction. */
  mintFor(projectId: string): Promise<MintedKey> {
    return mint(this.#kms, projectId)
  }

  async keep(tx: Tx, projectId: string, { row }: MintedKey, nowMs: number): Promise<void> {
    await store.insertDataKey(tx, projectId, row, nowMs)
  }

  /** How many data keys each master key has wrapped, and which one wraps now. */
  async wrapping(): Promise<{ readonly masterKey: string; readonly dataKeys: Record<string, number> }> {
    const rows = await store.dataKeysByKms(this.#sql)
    return { masterKey: this.#kms.name, dataKeys: Object.fromEntries(rows.map(({ kms, keys }) => [kms, keys])) }
  }

  /**
   * Wraps with the present master key every data key that another one has wrapped: how many. Each is a transaction of its own,
   * so it may be stopped and begun again; the data keys themselves stay. Throws CannotUnwrap or KmsUnavailable.
   */
  async rewrap(): Promise<number> {
    for (let done = 0; ;) {
      const rows = await store.dataKeysOfOthers(this.#sql, this.#kms.name, rewrappedAtOnce)
      if (rows.length === 0) return done
      for (const row of rows) {
        const context = contextOf(row.projectId ?? installation, row.id)
        const wrapped = await wrap(this.#kms, await this.#kms.unwrap(row.wrapped, context), context)
        const rewrapped = { id: row.id, kms: this.#kms.name, wrapped }
        if (await this.#sql.tx((tx) => store.rewrapDataKey(tx, row.kms, rewrapped))) done++
      }
    }
  }

  /**
   * Hash of a user code. Its 40 bits would fall to trying all of them offline, so the hash is keyed with the
   * installation's key: who reads the database alone learns nothing.
   */
  hashOfUserCode(userCode: string): string {
    return createHmac('sha256', this.#installation).update(`user code ${userCode}`).digest('base64url')
  }

  /**
   * Gives values of an organization a digest each, 43 characters of base64url. Keyed with a secret of the organization's own,
   * so that nobody can tell that two organizations have the same value.
   */
  digesterOf(orgId: string): (value: string | Buffer) => string {
    const key = this.secretFor(`digests ${orgId}`)
    return (value) => createHmac('sha256', key).update(value).digest('base64url')
  }

  /** A secret of the installation for one purpose, the same at every start, whatever becomes of the master key. */
  secretFor(purpose: string): string {
    return createHmac('sha256', this.#installation).update(`secret ${purpose}`).digest('base64url')
  }
}

function orUndefined(error: unknown): undefined {
  if (!(error instanceof CannotUnwrap)) throw error
}

async function unwrapInstallation(kms: Kms, row: DataKeyRow): Promise<DataKey> {
  try {
    return await unwrap(kms, installation, row)
  } catch (error) {
    if (!(error instanceof CannotUnwrap)) throw error
    throw new Error(
      `The master key ${kms.name} is not the one of this database, which is sealed with ${row.kms}: give the right one by ROLLKEY_KMS_URL, ROLLKEY_MASTER_KEY or the file master.key. Nothing was changed.`,
      { cause: error },
    )
  }
}
