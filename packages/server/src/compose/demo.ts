/** A demo: the service with a filled organization, whose data is in memory if the machine allows it, and deleted at the end. */
import { randomBytes } from 'node:crypto'
import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createLog, type Log } from '../base/log.ts'
import type { Config } from '../config.ts'
import { StoryClock } from '../demo/clock.ts'
import { fill, type SignIn } from '../demo/fill.ts'
import { ProgressBar } from '../operator/progress-bar.ts'
import { createDataDirectory } from '../storage/data-directory.ts'
import { createWorkFolder } from '../storage/work-folder.ts'
import { startApp } from './app.ts'
import { hasStore } from './store.ts'

/** The file system in memory that Linux has. */
const memory = '/dev/shm'
/** Bytes that a demo needs at most before people use it. */
const neededBytes = 32 * 1024 * 1024

export interface Demo {
  /** URL at which people reach the demo, without a trailing slash. */
  readonly publicUrl: string
  readonly signIn: SignIn
  /** Stops, and deletes the data. Another call waits for the same shutdown. */
  close(): Promise<void>
}

/** Fills a store and serves it. Throws an error with a message for the operator. */
export async function startDemo(settings: Config, log: Log): Promise<Demo> {
  if (hasStore(settings)) {
    throw new Error(
      `The data directory ${settings.DATA_DIR} has a store, which a demo does not show: start without --demo, or set ROLLKEY_DATA_DIR to another folder.`,
    )
  }
  const folder = await createWorkFolder(demoDirectory())
  // The key of the data is never in a file, so no one can decrypt what a killed demo leaves.
  const MASTER_KEY = randomBytes(32).toString('base64')
  const config: Config = { ...settings, DATA_DIR: folder.path, MASTER_KEY, DEMO: true }
  try {
    const signIn = await fillStore(config)
    const app = await startApp(config, log)
    let closing: Promise<void> | undefined
    return {
      publicUrl: app.publicUrl,
      signIn,
      close: () => (closing ??= app.close().finally(() => folder.remove())),
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
}

/** Fills the store of a service that only this process reaches, so that no one else sees its clock of the past. */
async function fillStore(config: Config): Promise<SignIn> {
  const bar = new ProgressBar(process.stderr)
  const clock = new StoryClock(Date.now())
  const alone = { HOST: '127.0.0.1', PORT: 0, PUBLIC_URL: undefined, RATE_LIMIT_IP: 0 }
  const app = await startApp({ ...config, ...alone }, createLog('silent'), clock)
  try {
    const service = { url: app.publicUrl, setupLink: app.setupLink ?? '', clock }
    // Random, because others may reach the demo.
    return await fill(service, randomBytes(9).toString('base64url'), bar.update)
  } finally {
    bar.clear()
    await app.close()
  }
}

/** Returns a folder for demos, which only this user can read. Throws an error with a message for the operator. */
function demoDirectory(): string {
  const directory = path.join(hasMemory() ? memory : tmpdir(), `rollkey-demo-${process.getuid?.()}`)
  createDataDirectory(directory)
  if (statSync(directory).uid === process.getuid?.()) return directory
  throw new Error(`The folder ${directory} belongs to another user: delete it, and start again.`)
}

function hasMemory(): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= neededBytes
  } catch {
    return false
  }
}
