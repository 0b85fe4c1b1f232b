/**
 * The last values of each stage, in encrypted files of the user's configuration. Each credential has a folder: its key is the service
 * token, or a random key that is stored with the login and erased with it.
 */
import { hash } from 'node:crypto'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { RollkeyError, type PullResult } from '@rollkey/sdk'
import { fileSnapshot, tokenFromEnvironment, type SessionKey } from '@rollkey/sdk/node'
import { configFolderOf } from '../frame/config-folder.ts'
import type { Context } from '../frame/context.ts'

/** The last values of a stage. */
export interface LastValues extends PullResult {
  /** When the service returned them. Unix time in milliseconds. */
  readonly atMs: number
}

interface Contents extends LastValues {
  /** What they are of: address, organization, stage and roll. */
  readonly subject: string
}

/** How far ahead the clock may have been when values were kept, in milliseconds. Of older ones the age is not known. */
const maxSkewMs = 60_000

/** Codes with which the service ends a credential. */
const endingCodes: ReadonlySet<string> = new Set([
  'UNAUTHORIZED',
  'LOGIN_NEEDED',
  'INVALID_REFRESH_TOKEN',
  'ORG_SCOPE_INVALID',
])

/** Codes with which the service refuses a stage: a stage without access looks as if it did not exist. */
const refusingCodes: ReadonlySet<string> = new Set([
  'FORBIDDEN',
  'INVALID_ORG_SCOPE',
  'CONFIRMATION_REQUIRED',
  'STAGE_NOT_FOUND',
])

/** The snapshot of one stage, for one credential. */
export class StageSnapshot {
  readonly #folder: string
  readonly #file: ReturnType<typeof fileSnapshot>
  readonly #subject: string
  readonly #path: string

  private constructor(folder: string, secret: string, at: readonly (string | undefined)[], roll: object) {
    this.#folder = folder
    this.#path = path.join(folder, idOf(JSON.stringify(at)))
    this.#file = fileSnapshot({ file: this.#path, secret })
    this.#subject = JSON.stringify([at, roll])
  }

  /** Opens the snapshot of the settings. Returns undefined for a credential that has no lasting key. Throws RollkeyError. */
  static async open(context: Context, roll: object): Promise<StageSnapshot | undefined> {
    const { env, settings } = context
    const { url, org, project, stage } = settings
    const folder = snapshotFolder(context)
    if (folder === undefined) return undefined
    const at = [url.value, org?.value, project?.value, stage?.value]
    const token = tokenFromEnvironment(env)
    if (token !== undefined) return new StageSnapshot(tokenFolder(folder, token), token, at, roll)
    if (env['ROLLKEY_TRUST'] !== undefined) return undefined
    const session = await (await context.credentials()).find(url.value, org?.value)
    if (session?.snapshotKey === undefined) return undefined
    return new StageSnapshot(sessionFolder(folder, session), session.snapshotKey, at, roll)
  }

  /** Returns the last values, or undefined if there are none that can be read. */
  async load(): Promise<LastValues | undefined> {
    const text = await this.#file.load()
    const contents = text === undefined ? undefined : (JSON.parse(text) as Contents)
    if (contents?.subject !== this.#subject || contents.atMs > Date.now() + maxSkewMs) return undefined
    const { revision, variables, atMs } = contents
    // Without a prototype, as a pull, because any name may be looked up.
    return { revision, atMs, variables: Object.assign(Object.create(null) as object, variables) }
  }

  /** Keeps values. What cannot be written is not kept: the service has the values. */
  async save({ revision, variables }: PullResult): Promise<void> {
    const contents: Contents = { revision, variables, atMs: Date.now(), subject: this.#subject }
    await this.#file.save(JSON.stringify(contents)).catch(() => undefined)
  }

  /** Erases the values of the stage. */
  erase(): void {
    erase(this.#path)
  }

  /** Erases what an error of the service says that this credential may not read any more. */
  eraseAfter(error: unknown): void {
    if (!(error instanceof RollkeyError)) return
    if (endingCodes.has(error.code)) erase(this.#folder)
    else if (refusingCodes.has(error.code)) this.erase()
  }
}

/** Erases all values of the service token of the environment, if an error says that the service refuses it. */
export function eraseAfterRefusal(context: Context, error: unknown): void {
  if (!(error instanceof RollkeyError) || error.code !== 'UNAUTHORIZED') return
  const folder = snapshotFolder(context)
  const token = tokenFromEnvironment(context.env)
  if (folder !== undefined && token !== undefined) erase(tokenFolder(folder, token))
}

/** Erases all values of a login. */
export function eraseOfSession(context: Context, session: SessionKey): void {
  const folder = snapshotFolder(context)
  if (folder !== undefined) erase(sessionFolder(folder, session))
}

function snapshotFolder(context: Context): string | undefined {
  const folder = configFolderOf(context)
  return folder === undefined ? undefined : path.join(folder, 'snapshots')
}

function tokenFolder(folder: string, token: string): string {
  return path.join(folder, idOf(`token ${token}`))
}

function sessionFolder(folder: string, { url, orgSlug }: SessionKey): string {
  return path.join(folder, idOf(`session ${url} ${orgSlug}`))
}

/** Returns a file name that says nothing about the text. */
function idOf(text: string): string {
  return hash('sha256', text).slice(0, 32)
}

function erase(target: string): void {
  try {
    rmSync(target, { recursive: true, force: true })
  } catch {
    // What cannot be written could not be kept either.
  }
}
