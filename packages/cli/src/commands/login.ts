import { hostname, userInfo } from 'node:os'
import { createClient, loginByDevice, type DeviceCode } from '@rollkey/sdk'
import { openTrustedUrls } from '@rollkey/sdk/node'
import { hasDesktop, openBrowser } from '../frame/browser.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { exit, CliError } from '../frame/cli-error.ts'
import { printableLine } from '../frame/printable.ts'
import { countText } from '../frame/words.ts'
import { eraseOfSession } from '../offline/snapshots.ts'

interface Options {
  readonly browser: boolean
  readonly clientName?: string
}

/** Parses an address that the service returned. A URL contains no characters that a terminal would interpret. */
function pageOf(answered: string, url: string): URL {
  const page = URL.canParse(answered) ? new URL(answered) : undefined
  if (page && ['http:', 'https:'].includes(page.protocol)) return page
  throw new CliError('INVALID_ANSWER', `${url} returned an approval address that is not an http or https URL`, {
    command: 'rollkey config',
  })
}

/** Shows where to approve. Opens a page whose origin differs from that of the service only after a confirmation. */
async function showCode(context: Context, code: DeviceCode, mayOpen: boolean): Promise<void> {
  const { out, prompt, settings } = context
  const url = settings.url.value
  const page = pageOf(code.verificationUri, url)
  const complete = pageOf(code.verificationUriComplete, url)
  const userCode = printableLine(code.userCode)
  const minutes = Math.round((code.expiresAtMs - Date.now()) / 60_000)
  out.warn(`Open   ${page.href}\nCode   ${userCode.slice(0, 4)}-${userCode.slice(4)}\n`)
  out.warn(`or     ${complete.href}\n`)
  const other = [page, complete].find(({ origin }) => origin !== new URL(url).origin)
  if (other) {
    // A service may relay the code of another one, so that the person would approve someone else's login there.
    out.warn(`The service is at ${url}, but this page is at ${other.origin}. Approve only if you trust both.\n`)
    if (mayOpen) await prompt.confirm(`Open ${complete.href}?`, '--no-browser')
  }
  out.warn(`Waiting up to ${countText(minutes, 'minute')} for the approval …`)
  if (mayOpen) await openBrowser(complete.href)
}

export const login = command<Options>({
  name: 'login',
  summary: 'Log in by approving in a browser, here or on another machine',
  target: 'organization',
  options: [
    ['--no-browser', 'print the address without opening a browser'],
    ['--client-name <name>', 'name that the approval page shows for this client'],
  ],
  examples: [
    ['login', 'to the service of rollkey.json or of your login, or to http://localhost:8787'],
    ['login --url https://rollkey.example.com', 'to this service'],
    ['login --no-browser', 'over SSH: open the address on your own machine'],
  ],
  async run(context, _, { browser, clientName }) {
    const { out, settings } = context
    if (context.env['CI']) {
      throw new CliError('LOGIN_NEEDED', 'No one can approve a login in CI: set ROLLKEY_TOKEN to a service token', {
        status: exit.loginNeeded,
        command: 'rollkey token create --help',
      })
    }
    const url = settings.url.value
    if (settings.isUrlOfFile || context.config !== undefined) out.warn(`Service ${url} (from ${settings.url.source})`)
    const { allowHttp, fetch } = context
    const credentials = await context.credentials()
    await credentials.check()
    const pair = await loginByDevice({
      url,
      allowHttp,
      fetch,
      clientName: clientName ?? `rollkey of ${userInfo().username} on ${hostname()}`,
      onCode: (code) => showCode(context, code, browser && hasDesktop(context)),
    })
    const { orgSlug, idpUserId } = await createClient({
      url,
      org: '',
      project: '',
      stage: '',
      token: pair.accessToken,
      allowHttp,
      fetch,
    }).session.show()
    await credentials.save({ url, orgSlug, ...pair })
    // Who named the address to log in to it trusts it with a token too. One that only rollkey.json names may be anyone's.
    if (!settings.isUrlOfFile) await openTrustedUrls({ env: context.env }).add(url)
    // The key of an earlier session is gone, and no one can read what it kept.
    eraseOfSession(context, { url, orgSlug })
    if (out.isJson) out.json({ url, orgSlug, idpUserId })
    else out.note(`Logged in to the organization ${orgSlug} at ${url}.`)
    if (!out.isJson && settings.project === undefined)
      out.note('Next, choose the project and stage of this folder: rollkey init')
    if (settings.org !== undefined && settings.org.source !== 'login' && settings.org.value !== orgSlug) {
      out.warn(
        `The login is for the organization ${orgSlug}, but the settings name ${settings.org.value} (${settings.org.source}).`,
      )
    }
  },
})
