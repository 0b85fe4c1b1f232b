/** `rollkey login`, approved in a real browser. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { expectHeading, expectText, openPageAs, press, useBrowser } from '../../../dashboard/test/browser/steps.ts'
import { useEmbeddedApp } from '../../../server/testkit/embedded.ts'
import { temporaryFolder } from '../../../server/testkit/folder.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { inPipe, onTerminal, startInPipe, type Setting } from '../../testkit/run.ts'

const app = useEmbeddedApp()
const browser = useBrowser()
let setting: Setting

beforeEach(() => {
  const cwd = temporaryFolder()
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, ROLLKEY_KEYCHAIN: 'off', ROLLKEY_URL: app.url }
  setting = { cwd, env }
})

/** Opens the address that the command printed, compares the code and decides. */
async function decide(printed: string, button: 'Approve' | 'Deny'): Promise<void> {
  const [address = ''] = /http\S+user_code=\S+/.exec(printed) ?? []
  const [, code = ''] = /Code +(\S+)/.exec(printed) ?? []
  const { page } = await openPageAs(app.owner, browser, app.url)
  // The cookie belongs to the address of the test, while the service shows people another name of this machine.
  await page.goto(address.replace(/^http:..[^/]+/, app.url))
  await expectHeading(page, 'Approve this login?')
  await expectText(page, code)
  await expectText(page, 'rollkey of')
  await press(page, button)
  await expectText(page, 'You can close this tab')
}

test.runIf(isLong)('over SSH, without a terminal', async () => {
  const { printed, ended } = startInPipe(['login', '--json'], setting, /user_code=\S+/)
  await decide(await printed, 'Approve')
  const { status, stdout, stderr } = await ended
  expect(status, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ url: app.url, orgSlug: 'acme' })
  const who = await inPipe(['whoami', '--json'], setting)
  expect(JSON.parse(who.stdout)).toMatchObject({ credential: 'session', orgSlug: 'acme', role: 'owner' })
  const folder = path.join(setting.cwd, '.config/rollkey')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const file of readdirSync(folder)) expect(statSync(path.join(folder, file)).mode & 0o077, file).toBe(0)
  expect(readFileSync(path.join(folder, 'sessions.json'), 'utf8')).toContain('svc_rt_')
  expect(stdout + stderr).not.toMatch(/svc_[ar]t_/)
})

test('on a terminal', async () => {
  let decided: Promise<void> | undefined
  const watch = (screen: string): void => {
    if (/user_code=\S+\s/.test(screen)) decided ??= decide(screen, 'Approve')
  }
  // Only the login says where the service is.
  const { ROLLKEY_URL: url, ...env } = setting.env
  const { cwd } = setting
  const { status, screen } = await onTerminal(['login', '--url', url ?? '', '--no-browser'], { cwd, env }, [], watch)
  await decided
  expect(status, screen).toBe(0)
  expect(screen).toContain(`Logged in to the organization acme at ${app.url}.`)
  const init = await inPipe(['init', '--project', 'web-shop', '--stage', 'dev'], { cwd, env })
  expect(init.status, init.stderr).toBe(0)
  const { stdout } = await inPipe(['whoami'], { cwd, env })
  expect(stdout).toMatch(new RegExp(`^user\t\\S.* <${app.owner.email}> \\(owner\\)$`, 'm'))
  expect((await inPipe(['doctor'], { cwd, env })).stdout).toContain(`<${app.owner.email}> (owner) in acme`)
  // Only rollkey.json names the address now, but the person has named it to log in.
  await inPipe(['set', 'A', 'of the login', '--create'], { cwd, env })
  const { stdout: token } = await inPipe(['token', 'create', 'ci'], { cwd, env })
  const got = await inPipe(['get', 'A'], { cwd, env: { ...env, ROLLKEY_TOKEN: token.trim() } })
  expect(got).toMatchObject({ status: 0, stdout: 'of the login' })
})

test.runIf(isLong)('refused in the browser', async () => {
  const { printed, ended } = startInPipe(['login'], setting, /user_code=\S+/)
  await decide(await printed, 'Deny')
  const { status, stderr } = await ended
  expect(status).toBe(3)
  expect(stderr).toMatch(/^DEVICE_CODE_EXPIRED: .*; try: rollkey login$/m)
})

test('in CI fails at once', async () => {
  const { status, stderr } = await inPipe(['login'], { ...setting, env: { ...setting.env, CI: 'true' } })
  expect(status).toBe(3)
  expect(stderr).toMatch(/^LOGIN_NEEDED: .*ROLLKEY_TOKEN.*; try: rollkey token create --help$/m)
})
