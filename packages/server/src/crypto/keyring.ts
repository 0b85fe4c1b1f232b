/**
 * Data keys: one current key per project, the retired keys that it replaced (docs/decisions/0019-rotation-of-data-keys.md),
 * and one key of the installation. The KMS wraps each key before it is stored. Unwrapped keys exist in memory only. At
 * start, unwrapping the installation's key verifies the master key before anything is written.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Digested } from '@rollkey/contract'
import { CoherentCache } from '../consistency/coherent-cache.ts'
import { noReads } from '../consistency/read-set.ts'
import type { Progress } from '../base/progress.ts'
import * as store from '../storage/keys.ts'
import type { DataKeyRow } from '../storage/keys.ts'
import { lockProject } from '../storage/projects.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { CannotUnwrap, type Kms } from './kms/kms.ts'
import { Sealer, type DataKey, type SealContext } from './seal.ts'
import { installation, mint, undefinedIfCannotUnwrap, rewrapAll, unwrap, type MintedKey } from './wrapped-keys.ts'

/** Keys of a project: the retired ones, then the current one. Empty if none could be unwrapped. */
export type ProjectKeys = readonly DataKey[]

const maxProjectsInMemory = 10_000

export class Keyring {
  readonly #sql: Sql
  readonly #kms: Kms
  readonly #installation: KeyObject
  readonly #projects = new CoherentCache<{ keys: ProjectKeys }>({ max: maxProjectsInMemory })

  private constructor(sql: Sql, kms: Kms, installationKey: KeyObject) {
    this.#sql = sql
    this.#kms = kms
    this.#installation = installationKey
  }

  /**
   * Opens the keyring. Throws an error with a message for the operator if the master key does not match the store or the KMS
   * is unavailable.
   */
  static async open(sql: Sql, kms: Kms, nowMs: number): Promise<Keyring> {
    const row = await store.installationKey(sql)
    if (row) return new Keyring(sql, kms, (await unwrapInstallation(kms, row)).key)
    const minted = await mint(kms, installation)
    const isFirst = await sql.tx((tx) => store.insertDataKey(tx, null, minted.row, nowMs))
    // If several nodes start on an empty store at once, one creates the key and the others use it.
    return isFirst ? new Keyring(sql, kms, minted.key.key) : Keyring.open(sql, kms, nowMs)
  }

  /**
   * Returns the keys of a stored project without damaged ones, so that everything else still opens. `needed` are the ids of
   * the keys that sealed what is to be opened. If one is not in memory, it may be new, so all keys are read again, once.
   */
  async keysOf(projectId: string, needed: Iterable<string> = []): Promise<ProjectKeys> {
    const keys = await this.#keysInMemory(projectId)
    const ids = new Set(keys.map(({ id }) => id))
    if ([...needed].every((id) => ids.has(id))) return keys
    this.forget(projectId)
    return this.#keysInMemory(projectId, keys)
  }

  /** Returns a sealer that seals with the project's current key and opens what any of its keys sealed. */
  async sealerOf(context: SealContext, needed?: Iterable<string>): Promise<Sealer> {
    return new Sealer(context, await this.keysOf(context.projectId, needed))
  }

  async #keysInMemory(projectId: string, known: ProjectKeys = []): Promise<ProjectKeys> {
    const entry = await this.#projects.get(projectId, () => this.#read(projectId, known), noReads)
    return entry?.keys ?? []
  }

  /** Reads the keys. Does not unwrap `known` keys again, because a call to the KMS may be slow. */
  async #read(projectId: string, known: ProjectKeys): Promise<{ keys: ProjectKeys } | undefined> {
    const rows = await store.dataKeysOfProject(this.#sql, projectId)
    if (rows.length === 0) return undefined
    const keys = await Promise.all(
      rows.map(async (row) => {
        const key =
          known.find(({ id }) => id === row.id) ??
          (await unwrap(this.#kms, projectId, row).catch(undefinedIfCannotUnwrap))
        return key && { id: key.id, key: key.key, ...(row.retired_at_ms !== null && { retired: true as const }) }
      }),
    )
    return { keys: keys.filter((key) => key !== undefined) }
  }

  /** Forgets the project's keys after a change, so that they are read again. */
  forget(projectId: string): void {
    this.#projects.forget(projectId)
  }

  /**
   * Returns whether the key may seal. The transaction that stores what the key sealed must call this after it has locked the
   * stage. A rotation locks the stage too before it looks for what the key sealed, so it misses nothing.
   */
  async maySeal(tx: Tx, projectId: string, keyId: string): Promise<boolean> {
    if (await store.isCurrentKey(tx, keyId)) return true
    this.forget(projectId)
    return false
  }

  /** Replaces the project's current key. Returns false if the current key was created at or after `madeBeforeMs`. */
  async rotate(
    tx: Tx,
    projectId: string,
    { row }: MintedKey,
    { madeBeforeMs, nowMs }: { madeBeforeMs: number; nowMs: number },
  ): Promise<boolean> {
    // Sent together, executed in order. The lock keeps others from creating a stage that seals with the former key.
    const [, , isStored] = await Promise.all([
      lockProject(tx, projectId),
      store.retireDataKey(tx, projectId, madeBeforeMs, nowMs),
      store.insertDataKey(tx, projectId, row, nowMs),
    ])
    return isStored
  }

  /** Creates a key for a project that is about to be stored. `store` stores the key in the same transaction. */
  mintFor(projectId: string): Promise<MintedKey> {
    return mint(this.#kms, projectId)
  }

  async store(tx: Tx, projectId: string, { row }: MintedKey, nowMs: number): Promise<void> {
    await store.insertDataKey(tx, projectId, row, nowMs)
  }

  /** Returns how many data keys each master key has wrapped, and the name of the current master key. */
  async wrapping(): Promise<{ readonly masterKey: string; readonly dataKeys: Record<string, number> }> {
    const rows = await store.dataKeysByKms(this.#sql)
    return { masterKey: this.#kms.name, dataKeys: Object.fromEntries(rows.map(({ kms, keys }) => [kms, keys])) }
  }

  /**
   * Wraps every data key that another master key has wrapped with the current one. Returns how many. It may be interrupted
   * and started again. The data keys themselves do not change. Throws CannotUnwrap or KmsUnavailable.
   */
  rewrap(nowMs: number, progress?: Progress): Promise<number> {
    return rewrapAll(this.#sql, this.#kms, nowMs, progress)
  }

  /**
   * Returns the hash of a user code. An offline search would find a code of 40 bits, so the hash is keyed with the
   * installation's key: anyone who can only read the database learns nothing.
   */
  hashOfUserCode(userCode: string): string {
    return createHmac('sha256', this.#installation).update(`user code ${userCode}`).digest('base64url')
  }

  /**
   * Returns a function that computes the digest of a value of an organization, 43 characters of base64url. It is keyed with
   * a secret of the organization, so no one can see that two organizations have the same value.
   */
  digesterOf(orgId: string): (value: string | Buffer) => string {
    const key = this.secretFor(`digests ${orgId}`)
    return (value) => createHmac('sha256', key).update(value).digest('base64url')
  }

  /**
   * Returns a function that replaces the digests of a variable of a stage for who may list the stage and not read it. What it returns is
   * equal only for equal values of this variable: it says when the value has changed, and nothing about other variables and stages.
   */
  digestHiderOf(stageId: string): (variable: Pick<Digested, 'name' | 'digests'>) => Digested['digests'] {
    const key = this.secretFor(`hidden digests ${stageId}`)
    return ({ name, digests }) =>
      Object.fromEntries(
        Object.entries(digests).map(([role, digest]) => [
          role,
          createHmac('sha256', key).update(`${name}\0${digest}`).digest('base64url'),
        ]),
      )
  }

  /** Returns a sealer of what belongs to an organization and to no project. Its key derives from that of the installation. */
  sealerFor(purpose: string, orgId: string): Sealer {
    const key = createSecretKey(this.secretFor(`key ${purpose}`), 'base64url')
    return new Sealer({ orgId, projectId: installation, stageId: purpose }, [{ id: '0'.repeat(32), key }])
  }

  /** Returns a secret of the installation for one purpose. It is the same at every start, also after a new master key. */
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
      `The master key ${kms.name} does not open this database (expected ${row.kms}): set the right one with ROLLKEY_KMS_URL, ROLLKEY_MASTER_KEY or the file master.key. Nothing was changed.`,
      { cause: error },
    )
  }
}
