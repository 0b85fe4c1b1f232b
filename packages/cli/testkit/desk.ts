/** A person at a machine: an organization of their own at a real service, logged in, in a folder of their own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { newOwner, type Desk, type World } from '../../server/testkit/world.ts'
import { openCredentials } from '@rollkey/sdk/node'
import { inPipe, onTerminal, type Ended, type Setting, type Typing } from './run.ts'

export interface CliDesk extends Setting {
  readonly desk: Desk
  run(...args: string[]): Promise<Ended>
  /** With something on stdin. */
  feed(input: string | Buffer, ...args: string[]): Promise<Ended>
  terminal(args: readonly string[], typing?: Typing): Promise<{ status: number; screen: string }>
  close(): void
}

export async function newCliDesk(world: World): Promise<CliDesk> {
  const desk = await newOwner(world)
  const cwd = mkdtempSync(path.join(tmpdir(), 'rollkey-cli-'))
  const { url } = world.app
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: cwd,
    ROLLKEY_CONFIG_DIR: path.join(cwd, '.config'),
    ROLLKEY_KEYCHAIN: 'off',
    TZ: 'UTC',
  }
  writeFileSync(
    path.join(cwd, 'rollkey.json'),
    JSON.stringify({ url, org: desk.at.orgSlug, project: 'shop', stage: 'dev' }),
  )
  const pair = await world.client.login(desk.user)
  await openCredentials({ env }).save({ url, orgSlug: desk.at.orgSlug, ...pair })
  const setting = { env, cwd }
  return {
    ...setting,
    desk,
    run: (...args) => inPipe(args, setting),
    feed: (input, ...args) => inPipe(args, setting, input),
    terminal: (args, typing) => onTerminal(args, setting, typing),
    close: () => rmSync(cwd, { recursive: true, force: true }),
  }
}
