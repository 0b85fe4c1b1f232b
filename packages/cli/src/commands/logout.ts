import { RollkeyError } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import { exit, CliError } from '../frame/cli-error.ts'
import { eraseOfSession } from '../offline/snapshots.ts'

interface Options {
  readonly local?: true
}

export const logout = command<Options>({
  name: 'logout',
  summary: 'End the session of this machine',
  target: 'organization',
  options: [['--local', 'only remove it from this machine, if the service cannot be reached']],
  examples: [
    ['logout', 'revokes the session at once'],
    ['logout --url https://rollkey.example.com', 'the session at this service'],
  ],
  async run(context, _, { local }) {
    const { out, settings } = context
    const url = settings.url.value
    const credentials = await context.credentials()
    const session = await credentials.find(url, settings.org?.value)
    if (!session) {
      throw new CliError('LOGIN_NEEDED', `Not logged in to ${url}`, { status: exit.loginNeeded })
    }
    if (!local) {
      const { orgSlug: org } = session
      const client = await context.service({ org })
      // This call may renew the access token, and the refresh token with it.
      await client.whoami().catch(ignoreEnded)
      const { refreshToken } = (await credentials.find(url, org)) ?? session
      await client.session.end(refreshToken).catch(ignoreEnded)
    }
    await credentials.remove(url, session.orgSlug)
    eraseOfSession(context, session)
    if (out.isJson) out.json({ url, orgSlug: session.orgSlug })
    else out.note(`Logged out of ${session.orgSlug} at ${url}.`)
  },
})

/** Ignores the error that the session has ended already. */
function ignoreEnded(error: unknown): void {
  if (error instanceof RollkeyError && ['UNAUTHORIZED', 'LOGIN_NEEDED'].includes(error.code)) return
  throw error
}
