import { command } from '../frame/command.ts'
import { timeText } from '../frame/time.ts'

function day(timeMs: number | undefined): string {
  return timeMs === undefined ? 'never' : new Date(timeMs).toISOString().slice(0, 10)
}

export const tokenList = command({
  name: 'token list',
  summary: 'List the service tokens of the organization',
  target: 'organization',
  examples: [
    ['token list', 'scope, rights, last use and expiry of each token'],
    ['token list --json', 'for a script'],
  ],
  async run(context) {
    const { out } = context
    const { tokens } = await (await context.service()).tokens.list()
    if (out.isJson) {
      out.json({ tokens })
      return
    }
    const rows = tokens.map(
      ({ id, name, projectSlug = '*', stageSlug = '*', readOnly, history, lastUsedAtMs, expiresAtMs }) => [
        id,
        name,
        `${projectSlug}/${stageSlug}`,
        `${readOnly ? 'read' : 'write'}${history ? ', history' : ''}`,
        day(lastUsedAtMs),
        day(expiresAtMs),
      ],
    )
    out.table(['id', 'name', 'scope', 'rights', 'last used', 'expires'], rows)
    const left = tokens.filter(({ creator }) => creator === 'left').map(({ id }) => id)
    if (left.length > 0) out.note(`Created by former members: ${left.join(', ')}. Replace these tokens.`)
    for (const { id, formerExpiresAtMs = 0 } of tokens)
      if (formerExpiresAtMs > Date.now())
        out.note(`The former secret of ${id} works until ${timeText(formerExpiresAtMs, 'UTC')} (UTC).`)
    if (rows.length === 0) out.note('There are no service tokens. Create one with rollkey token create.')
  },
})
