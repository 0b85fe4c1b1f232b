/** The command line of a person who is logged in to a separate organization of a real service, in a separate folder. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { openCredentials } from '@rollkey/sdk/node'
import { onTestFinished } from 'vitest'
import { useFixture } from '../../server/testkit/fixture.ts'
import { newFolder } from '../../server/testkit/folder.ts'
import { newOwner, tenantAt, type TestEnv, type TestTenant } from '../../server/testkit/test-env.ts'
import { inProcess, onTerminal, type Ended, type Setting, type Typing } from './run.ts'

export interface TestCli extends Setting {
  /** The person, an owner of the organization, at the stage that the folder's rollkey.json names. */
  readonly tenant: TestTenant
  run(...args: string[]): Promise<Ended>
  /** Runs a command with text on stdin. */
  feed(input: string | Buffer, ...args: string[]): Promise<Ended>
  terminal(args: readonly string[], typing?: Typing): Promise<{ status: number; screen: string }>
  close(): void
}

/** Returns a command line for all tests of the file or the `describe` block. */
export function useTestCli(testEnv: TestEnv): TestCli {
  return useFixture(() => newTestCli(testEnv))
}

/** Creates a command line until the end of the current test. */
export async function startTestCli(testEnv: TestEnv): Promise<TestCli> {
  const cli = await newTestCli(testEnv)
  onTestFinished(() => cli.close())
  return cli
}

async function newTestCli(testEnv: TestEnv): Promise<TestCli> {
  const tenant = tenantAt(await newOwner(testEnv), { stageSlug: 'dev' })
  const { orgSlug: org, projectSlug: project, stageSlug: stage } = tenant.at
  const cwd = newFolder()
  const { url } = testEnv.app
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: cwd,
    ROLLKEY_CONFIG_DIR: path.join(cwd, '.config'),
    ROLLKEY_KEYCHAIN: 'off',
    // Its tests switch it on: elsewhere no start should depend on how fast the service answers.
    ROLLKEY_FALLBACK: 'off',
    TZ: 'UTC',
  }
  writeFileSync(path.join(cwd, 'rollkey.json'), JSON.stringify({ url, org, project, stage }))
  const pair = await testEnv.client.login(tenant.user)
  await openCredentials({ env }).save({ url, orgSlug: org, ...pair })
  const setting = { env, cwd }
  return {
    ...setting,
    tenant,
    run: (...args) => inProcess(args, setting),
    feed: (input, ...args) => inProcess(args, setting, input),
    terminal: (args, typing) => onTerminal(args, setting, typing),
    close: () => rmSync(cwd, { recursive: true, force: true }),
  }
}
