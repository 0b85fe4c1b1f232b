/** `rollkey open` on a desktop; the golden outputs show what it prints elsewhere. */
import { expect, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { temporaryFolder } from '../../../server/testkit/folder.ts'
import { useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli } from '../../testkit/cli.ts'
import { desktopOf } from '../../testkit/desktop.ts'
import { onTerminal } from '../../testkit/run.ts'

const testEnv = useTestEnv()

test('opens the page of a variable, whose address has its name and no value', async () => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('A&B=%', 'canary')])
  const { setting, opened } = desktopOf(cli, temporaryFolder())
  const { status, screen } = await onTerminal(['open', 'A&B=%'], setting)
  expect(status, screen).toBe(0)
  const url = `${testEnv.app.url}/o/${cli.tenant.at.orgSlug}/p/shop?variable=A%26B%3D%25&stage=dev`
  await expect.poll(opened).toBe(`${url}\n`)
  expect(screen).toBe(`Opened ${url}\n`)
  // Over SSH, and to be passed on, it is only printed.
  expect((await onTerminal(['open', '--print'], setting)).screen).toBe(url.replace(/\?.*/, '\n'))
})
