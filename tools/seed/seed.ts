/** Fills an embedded store through the service's API, with a clock that starts a month ago. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { askServer } from '../../packages/server/src/operator/socket.ts'
import { startApp } from '../../packages/server/src/compose/app.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { StoryClock } from '../../packages/server/src/demo/clock.ts'
import { fill, type SignIn } from '../../packages/server/src/demo/fill.ts'

export type { SignIn }

/**
 * Fills the store of a folder unless that was done before. Throws if it is in use or has data from elsewhere.
 *
 * @param endMs When the story ends, Unix time in milliseconds.
 */
export async function seed(folder: string, endMs = Date.now()): Promise<SignIn> {
  const done = path.join(folder, 'seed.json')
  if (existsSync(done)) return JSON.parse(readFileSync(done, 'utf8')) as SignIn
  if ((await askServer(folder, 'status')) !== undefined) {
    throw new Error(
      `A service uses ${folder} (expected none): stop npm run dev, and start it again after this command.`,
    )
  }

  const config = readConfig({ ROLLKEY_DATA_DIR: folder, ROLLKEY_PORT: '0', ROLLKEY_RATE_LIMIT_IP: '0' })
  const clock = new StoryClock(endMs)
  const app = await startApp(config, createLog('silent'), clock)
  try {
    if (app.setupLink === undefined) {
      throw new Error(`${folder} has accounts that this command did not make (expected none): delete the folder.`)
    }
    const url = app.url.replace('127.0.0.1', 'localhost')
    // Random for each store, because others may be able to reach this machine.
    const signIn = await fill({ url, setupLink: app.setupLink, clock }, randomBytes(9).toString('base64url'))
    writeFileSync(done, JSON.stringify(signIn), { mode: 0o600 })
    return signIn
  } finally {
    await app.close()
  }
}
