import { hostname, userInfo } from 'node:os'
import { createClient, loginByDevice, type DeviceCode } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { exit, CliError } from '../frame/cli-error.ts'
import { httpFetch } from '../frame/http-fetch.ts'
import { printableLine } from '../frame/printable.ts'

interface Options {
  readonly browser: boolean
  readonly clientName?: string
}

/** Where a browser that we open would be in front of somebody. */
function hasDesktop({ env, out, prompt }: Context): boolean {
  if (!prompt.isPossible || out.isJson || env['SSH_CONNECTION'] || env['SSH_TTY']) return false
  return process.platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'])
}

async function openBrowser(url: string): Promise<void> {
  const { default: open } = await import('open')
  // The address is on the screen already; a desktop without a browser is no error.
  await open(url).catch(() => undefined)
}

/** An address that the service answered, in the form of a URL, which has no character that a terminal would obey. */
function pageOf(answered: string, url: string): URL {
  const page = URL.canParse(answered) ? new URL(answered) : undefined
  if (page && ['http:', 'https:'].includes(page.protocol)) return page
  throw new CliError(
    'INVALID_ANSWER',
    `The address for the approval that ${url} answered is not an http or https address`,
    {
      command: 'rollkey config',
    },
  )
}

/** Shows where to approve. A page of another origin than the service is opened only after a question. */
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
    // A service may relay the code of another one, where the person would then approve a login of someone else's.
    out.warn(`The service is at ${url}, but this page is at ${other.origin}. Approve only if you know both.\n`)
    if (mayOpen) await prompt.confirm(`Open ${complete.href}?`, '--no-browser')
  }
  out.warn(`Waiting for the approval, ${minutes} minutes at most …`)
  if (mayOpen) await openBrowser(complete.href)
}

export const login = command<Options>({
  name: 'login',
  summary: 'Log in: a person approves in the browser, here or on another machine',
  reach: 'organization',
  options: [
    ['--no-browser', 'only print the address'],
    ['--client-name <name>', 'what the approval page calls this client'],
  ],
  examples: [
    ['login', 'at the service of rollkey.json, or at http://localhost:8787'],
    ['login --url https://rollkey.example.com', 'at this service'],
    ['login --no-browser', 'over SSH: open the address on your own machine'],
  ],
  async run(context, _, { browser, clientName }) {
    const { out, settings } = context
    if (context.env['CI']) {
      throw new CliError('LOGIN_NEEDED', 'Nobody can approve a login in CI; set ROLLKEY_TOKEN to a service token', {
        status: exit.loginNeeded,
        command: 'rollkey token create --help',
      })
    }
    const url = settings.url.value
    if (settings.isUrlOfFile || context.config !== undefined) out.warn(`Service ${url} (from ${settings.url.source})`)
    const { allowHttp } = context
    const pair = await loginByDevice({
      url,
      allowHttp,
      fetch: httpFetch,
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
      fetch: httpFetch,
    }).session.show()
    await (await context.credentials()).save({ url, orgSlug, ...pair })
    if (out.isJson) out.json({ url, orgSlug, idpUserId })
    else out.note(`Logged in at ${url} to the organization ${orgSlug}.`)
    if (settings.org !== undefined && settings.org.value !== orgSlug) {
      out.warn(
        `The settings name the organization ${settings.org.value} (${settings.org.source}), the approval ${orgSlug}.`,
      )
    }
  },
})
