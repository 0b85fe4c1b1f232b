/**
 * Data keys: one per project, beside those that it has replaced (docs/decisions/0019), and one of the installation. Each is
 * wrapped by the KMS and stored so; unwrapped ones live in memory only. Unwrapping the installation's key at start is the
 * check that this is the right master key, before anything is written.
 */
import { createHmac, type KeyObject } from 'node:crypto'
import { CoherentCache } from '../consistency/coherent-cache.ts'
import type { Progress } from '../base/progress.ts'
import * as store from '../storage/keys.ts'
import type { DataKeyRow } from '../storage/keys.ts'
import { lockProject } from '../storage/projects.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { CannotUnwrap, type Kms } from './kms/kms.ts'
import { Sealer, type DataKey, type SealContext } from './seal.ts'
import { installation, mint, orUndefined, rewrapAll, unwrap, type MintedKey } from './wrapped-keys.ts'

/** The one to seal with last, after those that are retired; empty if none could be unwrapped. */
export type ProjectKeys = readonly DataKey[]

const maxProjectsInMemory = 10_000

export class Keyring {
  readonly #sql: Sql
  readonly #kms: Kms
  readonly #installation: KeyObject
  readonly #projects = new CoherentCache<{ keys: ProjectKeys }>({ most: maxProjectsInMemory })

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

  /**
   * The keys of a stored project. One that is damaged is left out: what it sealed does not open, the rest does. `needed` are
   * the ids of those that have sealed what is to be opened: one that is not in memory may be new, and all are read again, once.
   */
  async keysOf(projectId: string, needed: Iterable<string> = []): Promise<ProjectKeys> {
    const keys = await this.#keysInMemory(projectId)
    const ids = new Set(keys.map(({ id }) => id))
    if ([...needed].every((id) => ids.has(id))) return keys
    this.forget(projectId)
    return this.#keysInMemory(projectId, keys)
  }

  /** Seals with the present key of the place's project and opens what is there. */
  async sealerOf(place: SealContext, needed?: Iterable<string>): Promise<Sealer> {
    return new Sealer(place, await this.keysOf(place.projectId, needed))
  }

  async #keysInMemory(projectId: string, known: ProjectKeys = []): Promise<ProjectKeys> {
    const entry = await this.#projects.get(projectId, () => this.#read(projectId, known))
    return entry?.keys ?? []
  }

  /** `known` are not unwrapped again: a KMS may be far away. */
  async #read(projectId: string, known: ProjectKeys): Promise<{ keys: ProjectKeys } | undefined> {
    const rows = await store.dataKeysOfProject(this.#sql, projectId)
    if (rows.length === 0) return undefined
    const keys = await Promise.all(
      rows.map(async (row) => {
        const key =
          known.find(({ id }) => id === row.id) ?? (await unwrap(this.#kms, projectId, row).catch(orUndefined))
        return key && { id: key.id, key: key.key, ...(row.retired_at_ms !== null && { retired: true as const }) }
      }),
    )
    return { keys: keys.filter((key) => key !== undefined) }
  }

  /** Its keys were changed: they are read again. */
  forget(projectId: string): void {
    this.#projects.forget(projectId)
  }

  /**
   * Whether the key may seal, to be asked by the transaction that stores what it has sealed, once that has locked the stage: a
   * rotation locks it too before it looks for what the key has sealed, so it misses nothing.
   */
  async maySeal(tx: Tx, projectId: string, keyId: string): Promise<boolean> {
    if (await store.isCurrentKey(tx, keyId)) return true
    this.forget(projectId)
    return false
  }

  /** Has the project seal with another key, unless the one that it has was made since `madeBeforeMs`; false then. */
  async exchange(
    tx: Tx,
    projectId: string,
    { row }: MintedKey,
    { madeBeforeMs, nowMs }: { madeBeforeMs: number; nowMs: number },
  ): Promise<boolean> {
    // Sent together, done one after the other. Locked, so that nobody makes a stage meanwhile that seals with the former key.
    const [, , isKept] = await Promise.all([
      lockProject(tx, projectId),
      store.retireDataKey(tx, projectId, madeBeforeMs, nowMs),
      store.insertDataKey(tx, projectId, row, nowMs),
    ])
    return isKept
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
   * Wraps with the present master key every data key that another one has wrapped: how many. It may be stopped and begun
   * again; the data keys themselves stay. Throws CannotUnwrap or KmsUnavailable.
   */
  rewrap(nowMs: number, progress?: Progress): Promise<number> {
    return rewrapAll(this.#sql, this.#kms, nowMs, progress)
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
