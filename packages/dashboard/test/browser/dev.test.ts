/** Tests `npm run dev`: the page reloads its modules, the service restarts, and both stop together. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPasskeyDevice, startBrowser, type TestBrowser, type TestPage } from '../../../server/testkit/browser.ts'
import { useFolder } from '../../../server/testkit/folder.ts'
import { freePort } from '../../../server/testkit/free-port.ts'
import { goodPassword } from '../../../server/testkit/person.ts'
import { expectClean, expectHeading, expectText, field, press, signOut } from './steps.ts'

const root = path.resolve(import.meta.dirname, '../../../..')
const dataDir = useFolder()
let url: string
let dev: ChildProcess
let output = ''
let browser: TestBrowser
let visit: TestPage

async function start(port: number): Promise<ChildProcess> {
  const env = { PATH: process.env['PATH'], ROLLKEY_PORT: String(port), ROLLKEY_DATA_DIR: dataDir }
  // Detached: a process group, to which a terminal sends Ctrl-C.
  const child = spawn(process.execPath, ['tools/node.mjs', 'tools/dev.ts'], { cwd: root, env, detached: true })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()))
  return child
}

function starts(): number {
  return output.split('"msg":"serving"').length - 1
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
}

/** Makes a source look changed to whatever watches it. */
function touch(file: string): void {
  const now = new Date()
  utimesSync(path.join(root, file), now, now)
}

beforeAll(async () => {
  const port = await freePort()
  url = `http://localhost:${port}`
  dev = await start(port)
  browser = await startBrowser()
  visit = await browser.newPage({ baseUrl: url })
})
afterAll(async () => {
  await browser.close()
  if (dev.exitCode === null && dev.signalCode === null) process.kill(-Number(dev.pid), 'SIGKILL')
})

/** A person sets up, adds a passkey and signs in with it. */
async function setUp(): Promise<void> {
  const { page } = visit
  const device = await addPasskeyDevice(page)
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  await expect.poll(() => output).toContain(`Open ${url}.`)
  await expect.poll(() => output).toMatch(/#token=\S+\n/)
  await page.goto(/\S+#token=\S+/.exec(output)?.[0] ?? '')
  await field(page, 'Your name').fill('Ada')
  await field(page, 'Email').fill('ada@example.com')
  await field(page, 'Password').fill(goodPassword)
  await field(page, 'Organization name').fill('Acme')
  await press(page, 'Create account and organization')
  await expectHeading(page, 'Overview')
  await page.goto('/o/acme/account')
  await field(page, 'Name of the new passkey').fill('my laptop')
  await press(page, 'Add passkey')
  await expectText(page, 'Passkey added')
  expect(await device.sites()).toEqual(['localhost'])
  await signOut(page)
  await expectHeading(page, 'Sign in')
  await press(page, 'Sign in with a passkey')
  await expectHeading(page, 'Overview')
}

/** A changed component appears without a reload of the page. */
async function changeComponent(): Promise<void> {
  const { page } = visit
  await page.evaluate('window.isSamePage = true')
  const updated = page.waitForEvent('console', (message) => message.text().includes('hot updated'))
  touch('packages/dashboard/src/app/shell/menus.tsx')
  expect((await updated).text()).toContain('/src/app/shell/menus.tsx')
  await expect.poll(() => page.evaluate('window.isSamePage')).toBe(true)
}

/** A changed source restarts the service, and people stay signed in. */
async function changeSource(file: string): Promise<void> {
  const before = starts()
  touch(file)
  await expect.poll(starts).toBe(before + 1)
  await visit.page.goto('/')
  await expectHeading(visit.page, 'Overview')
}

/** A crash of the service is reported, and the next change starts it again. */
async function crash(): Promise<void> {
  // npm's Node → the command → Node's watcher → the service
  const service = childOf(childOf(childOf(Number(dev.pid))))
  const before = starts()
  process.kill(service, 'SIGKILL')
  await expect.poll(() => output).toContain('Failed running')
  touch('packages/server/src/main.ts')
  await expect.poll(starts).toBe(before + 1)
}

async function pressCtrlC(): Promise<void> {
  // Also the end of its output.
  const ended = once(dev, 'close')
  process.kill(-Number(dev.pid), 'SIGINT')
  expect(await ended).toEqual([0, null])
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  // Vite may report a connection that the stop cut, before or after it.
  expect(output.split('\n').findLast((line) => line.includes('"msg"'))).toContain('"msg":"stopped"')
}

test('at one address, sources change while people work, a crash is reported, and Ctrl-C stops both', async () => {
  await setUp()
  await changeComponent()
  await changeSource('packages/contract/src/index.ts')
  await changeSource('packages/server/src/config.ts')
  // No page violates the policy of production.
  expectClean(visit, url)
  await crash()
  await pressCtrlC()
})
