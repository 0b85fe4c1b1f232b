import { RollkeyError } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import { exit, CliError } from '../frame/cli-error.ts'

interface Options {
  readonly local?: true
}

export const logout = command<Options>({
  name: 'logout',
  summary: 'End the session of this machine',
  reach: 'organization',
  options: [['--local', 'only forget it here, if the service cannot be reached']],
  examples: [
    ['logout', 'the session is dead at once, everywhere'],
    ['logout --url https://rollkey.example.com', 'at this service'],
  ],
  async run(context, _, { local }) {
    const { out, settings } = context
    const url = settings.url.value
    const credentials = await context.credentials()
    const session = await credentials.find(url, settings.org?.value)
    if (!session) {
      throw new CliError('LOGIN_NEEDED', `There is no login at ${url} to end`, { status: exit.loginNeeded })
    }
    if (!local) {
      const { orgSlug: org } = session
      const client = await context.service({ org })
      // The access token may just have been renewed, and the refresh token with it.
      await client.whoami().catch(unlessOver)
      const { refreshToken } = (await credentials.find(url, org)) ?? session
      await client.session.end(refreshToken).catch(unlessOver)
    }
    await credentials.remove(url, session.orgSlug)
    if (out.isJson) out.json({ url, orgSlug: session.orgSlug })
    else out.note(`Logged out of ${session.orgSlug} at ${url}.`)
  },
})

/** A session that is over already needs no end. */
function unlessOver(error: unknown): void {
  if (error instanceof RollkeyError && ['UNAUTHORIZED', 'LOGIN_NEEDED'].includes(error.code)) return
  throw error
}
