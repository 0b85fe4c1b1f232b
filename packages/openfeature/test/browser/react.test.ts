/** The React example with the packages that its own package.json names, if `npm ci --prefix examples/react` has installed them. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { expectText, openPage, press, useBrowser } from '../../../dashboard/test/browser/steps.ts'
import { roll } from '../../../server/testkit/entries.ts'
import { newFolder } from '../../../server/testkit/folder.ts'
import { newOwner, useTestEnv, write } from '../../../server/testkit/test-env.ts'

const example = path.resolve(import.meta.dirname, '../../../../examples/react')
const testEnv = useTestEnv()
const browser = useBrowser()

/** Serves the files of a folder. Returns the origin. */
async function serve(folder: string): Promise<string> {
  const site = createServer(({ url = '' }, response) => {
    const name = url === '/' ? 'index.html' : url.slice(1)
    if (!existsSync(path.join(folder, name))) return void response.writeHead(404).end()
    response.setHeader('content-type', name.endsWith('.js') ? 'text/javascript' : 'text/html')
    response.end(readFileSync(path.join(folder, name)))
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  onTestFinished(() => void site.close())
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
}

test.runIf(existsSync(path.join(example, 'node_modules')))(
  'a page of React has flags, those of another user, and changes as they are made',
  async () => {
    const tenant = await newOwner(testEnv)
    const checkout = {
      ...roll('NEW_CHECKOUT', 0, 'true', 'false'),
      declaredType: 'boolean',
      exposure: 'client',
      labels: { a: 'on', b: 'off' },
      rules: [{ when: { plan: { equals: 'pro' } }, then: 'a' }],
    }
    await write(testEnv, tenant, [checkout])
    const folder = newFolder()
    const origin = await serve(folder)
    const settings = { ...tenant.at, name: 'shop', origins: [origin] }
    const { key } = await testEnv.client.must('keyCreate', settings, { token: tenant.token })
    const vite = path.join(example, 'node_modules/vite/bin/vite.js')
    await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', folder, '--emptyOutDir'], {
      cwd: example,
      env: { PATH: process.env['PATH'], VITE_ROLLKEY_URL: testEnv.app.url, VITE_ROLLKEY_CLIENT_KEY: key },
    })
    const { page, pageErrors } = await openPage(browser, origin, testEnv.app.url)
    await page.goto('/')
    await expectText(page, 'The old checkout (STATIC, off)')
    await press(page, 'Sign in')
    await expectText(page, 'The new checkout (TARGETING_MATCH, on)')
    await write(testEnv, tenant, [{ ...checkout, rules: null }])
    await expectText(page, 'The old checkout (STATIC, off)')
    expect(pageErrors).toEqual([])
  },
)
