/** A user at a machine: logged in to a separate organization of a real service, in a separate folder. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { newOwner, type TestTenant, type TestEnv } from '../../server/testkit/test-env.ts'
import { openCredentials } from '@rollkey/sdk/node'
import { inPipe, onTerminal, type Ended, type Setting, type Typing } from './run.ts'

export interface CliDesk extends Setting {
  readonly tenant: TestTenant
  run(...args: string[]): Promise<Ended>
  /** Runs a command with text on stdin. */
  feed(input: string | Buffer, ...args: string[]): Promise<Ended>
  terminal(args: readonly string[], typing?: Typing): Promise<{ status: number; screen: string }>
  close(): void
}

export async function newCliDesk(testEnv: TestEnv): Promise<CliDesk> {
  const tenant = await newOwner(testEnv)
  const cwd = mkdtempSync(path.join(tmpdir(), 'rollkey-cli-'))
  const { url } = testEnv.app
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: cwd,
    ROLLKEY_CONFIG_DIR: path.join(cwd, '.config'),
    ROLLKEY_KEYCHAIN: 'off',
    TZ: 'UTC',
  }
  writeFileSync(
    path.join(cwd, 'rollkey.json'),
    JSON.stringify({ url, org: tenant.at.orgSlug, project: 'shop', stage: 'dev' }),
  )
  const pair = await testEnv.client.login(tenant.user)
  await openCredentials({ env }).save({ url, orgSlug: tenant.at.orgSlug, ...pair })
  const setting = { env, cwd }
  return {
    ...setting,
    tenant,
    run: (...args) => inPipe(args, setting),
    feed: (input, ...args) => inPipe(args, setting, input),
    terminal: (args, typing) => onTerminal(args, setting, typing),
    close: () => rmSync(cwd, { recursive: true, force: true }),
  }
}
