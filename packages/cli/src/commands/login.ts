import { hostname, userInfo } from 'node:os'
import { createClient, loginByDevice } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { exit, Failure } from '../frame/failure.ts'
import { httpFetch } from '../frame/http-fetch.ts'

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
      throw new Failure('LOGIN_NEEDED', 'Nobody can approve a login in CI; set ROLLKEY_TOKEN to a service token', {
        status: exit.loginNeeded,
        command: 'rollkey token create --help',
      })
    }
    const url = settings.url.value
    const pair = await loginByDevice({
      url,
      fetch: httpFetch,
      clientName: clientName ?? `rollkey of ${userInfo().username} on ${hostname()}`,
      async onCode({ userCode, verificationUri, verificationUriComplete, expiresAtMs }) {
        const minutes = Math.round((expiresAtMs - Date.now()) / 60_000)
        out.warn(`Open   ${verificationUri}\nCode   ${userCode.slice(0, 4)}-${userCode.slice(4)}\n`)
        out.warn(`or     ${verificationUriComplete}\n\nWaiting for the approval, ${minutes} minutes at most …`)
        if (browser && hasDesktop(context)) await openBrowser(verificationUriComplete)
      },
    })
    const { orgSlug, idpUserId } = await createClient({
      url,
      org: '',
      project: '',
      stage: '',
      token: pair.accessToken,
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
