import { command } from '../frame/command.ts'
import { shownTime } from '../frame/time.ts'
import { personText } from '../frame/credential.ts'

export const whoami = command({
  name: 'whoami',
  summary: 'Show the owner and the rights of the credential',
  target: 'organization',
  examples: [
    ['whoami', 'uses ROLLKEY_TOKEN, or the session of this machine'],
    ['whoami --json', 'for a script; exits with 3 without a login'],
  ],
  async run(context) {
    const { out, settings } = context
    const { requestId: _, ...who } = await (await context.service()).whoami()
    if (out.isJson) {
      out.json({ url: settings.url.value, ...who })
      return
    }
    const { serviceToken: token } = who
    const rows: [string, string][] = [
      ['service', settings.url.value],
      ['organization', who.orgSlug],
      ...(who.idpUserId === undefined ? [] : [['user', `${personText(who)} (${who.role})`] as [string, string]]),
      ...(token
        ? ([
            ['token', `${token.name} (${token.readOnly ? 'read only' : 'read and write'})`],
            ['scope', [token.projectSlug ?? 'every project', token.stageSlug].filter(Boolean).join('/')],
            ['expires', shownTime(out, token.expiresAtMs)],
          ] as [string, string][])
        : []),
    ]
    out.table(['field', 'value'], rows)
  },
})
