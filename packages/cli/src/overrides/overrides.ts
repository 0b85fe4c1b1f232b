/** Values of this machine in place of those of a stage: encrypted in the user's configuration, and never sent. */
import { hash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileSnapshot, loadKeychain, openCredentials, writeFileAtomically } from '@rollkey/sdk/node'
import type { Variables } from '../formats/refuse.ts'
import { exit, CliError } from '../frame/cli-error.ts'
import { configFolderOf } from '../frame/config-folder.ts'
import type { Context } from '../frame/context.ts'

/** The account of the key in the keychain of the system, and the name of its file where there is none. */
const keyName = 'overrides'

/** Opens the overrides of the stage of the settings. */
export class Overrides {
  readonly #context: Context
  readonly #folder: string
  readonly #file: string

  /** Throws USAGE without project and stage. */
  constructor(context: Context) {
    context.expectStage()
    const { url, org, project, stage } = context.settings
    const at = JSON.stringify([url.value, org?.value, project?.value, stage?.value])
    this.#context = context
    // Without a home there are none, and a change fails when it takes the lock.
    this.#folder = path.join(configFolderOf(context) ?? '', 'overrides')
    this.#file = path.join(this.#folder, hash('sha256', at).slice(0, 32))
  }

  /** Whether there are any. It needs no key. */
  get exist(): boolean {
    return path.isAbsolute(this.#file) && existsSync(this.#file)
  }

  /** Returns the values by name. Throws INVALID_OVERRIDES if they cannot be decrypted. */
  async load(): Promise<Variables> {
    if (!this.exist) return {}
    const key = await this.#key()
    const text = key === undefined ? undefined : await fileSnapshot({ file: this.#file, secret: key }).load()
    if (text !== undefined) return JSON.parse(text) as Variables
    const { where } = this.#context
    throw new CliError(
      'INVALID_OVERRIDES',
      `The overrides of ${where} on this machine cannot be decrypted: their file was changed, or its key is gone`,
      { status: exit.invalid, command: 'rollkey override unset --all' },
    )
  }

  /** Changes the values. Changes of several processes run one after the other. Returns the values after it. */
  async change(edit: (values: Variables) => Variables): Promise<Variables> {
    return this.#locked(async () => {
      const values = edit(await this.load())
      if (Object.keys(values).length === 0) rmSync(this.#file, { force: true })
      else await fileSnapshot({ file: this.#file, secret: await this.#newKey() }).save(JSON.stringify(values))
      return values
    })
  }

  /** Removes all values, also those that cannot be decrypted. */
  async clear(): Promise<void> {
    await this.#locked(async () => rmSync(this.#file, { force: true }))
  }

  #locked<Result>(work: () => Promise<Result>): Promise<Result> {
    return openCredentials({ env: this.#context.env }).whileLocked({ url: keyName, orgSlug: '' }, work)
  }

  /** Returns the key, which all stages share, or undefined if there is none. */
  async #key(): Promise<string | undefined> {
    const keychain = await loadKeychain(this.#context.env)
    const stored = await keychain?.get(keyName).catch(() => undefined)
    return stored ?? (existsSync(this.#keyFile) ? readFileSync(this.#keyFile, 'utf8') : undefined)
  }

  async #newKey(): Promise<string> {
    const existing = await this.#key()
    if (existing !== undefined) return existing
    const key = randomBytes(32).toString('base64url')
    const keychain = await loadKeychain(this.#context.env)
    const isStored = await keychain?.set(keyName, key).then(
      () => true,
      () => false,
    )
    if (isStored) return key
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    await writeFileAtomically(this.#keyFile, key)
    return key
  }

  get #keyFile(): string {
    return path.join(this.#folder, 'key')
  }
}
