import { command } from '../frame/command.ts'
import { personText } from '../frame/credential.ts'

export const whoami = command({
  name: 'whoami',
  summary: 'Whom the credential belongs to, and what it may do',
  reach: 'organization',
  examples: [
    ['whoami', 'the session of this machine, or ROLLKEY_TOKEN'],
    ['whoami --json', 'for a script; exit status 3 if there is no login'],
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
            ['token', `${token.name} (${token.readOnly ? 'reads only' : 'reads and writes'})`],
            ['reaches', [token.projectSlug ?? 'every project', token.stageSlug].filter(Boolean).join('/')],
            ['expires', new Date(token.expiresAtMs).toISOString()],
          ] as [string, string][])
        : []),
    ]
    out.table(['what', 'value'], rows)
  },
})
