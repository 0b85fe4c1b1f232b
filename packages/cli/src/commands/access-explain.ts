import type { AccessSource } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import type { Cell } from '../frame/output.ts'
import { parsePrincipal, placeText, principalText } from '../frame/principal.ts'
import { placeOf, scopeOption, type ScopeOptions } from '../frame/scope.ts'

const verbs = ['list', 'read', 'write', 'approve', 'manage'] as const

export const accessExplain = command<ScopeOptions>({
  name: 'access explain',
  args: '[WHO] [STAGE]',
  completes: [undefined, 'stage', undefined],
  summary: 'Explain what someone may do on a stage, and which grant gives it',
  target: 'stage',
  options: [scopeOption],
  examples: [
    ['access explain ada@example.com prod', 'a row for each grant and role'],
    ['access explain', 'yourself on the stage of rollkey.json'],
    ['access explain token:ci --scope project --json', 'for a script'],
  ],
  async run(context, [who, stage], options) {
    const { out } = context
    const place = placeOf(context, stage, options)
    const client = await context.service()
    const principal = who === undefined ? undefined : await parsePrincipal(client, who)
    const { requestId: _, ...explained } = await client.manage.access.explain(place, principal)
    if (out.isJson) return out.json(explained)
    const rows = explained.sources.map((source) => [sourceText(source), placeText(source), ...marks(source.verbs)])
    out.table(['from', 'scope', ...verbs], [...rows, ['in all', placeText(place), ...marks(explained.verbs)]])
    if (explained.isProtected)
      out.note(`${placeText(place)} is protected: only grants on the stage itself give read, write and approve.`)
  },
})

function marks(given: readonly string[]): Cell[] {
  return verbs.map((verb) => (given.includes(verb) ? { text: 'yes', style: 'green' } : '-'))
}

function sourceText({ from, principal, role, expiresAtMs }: AccessSource): string {
  const until = expiresAtMs === undefined ? '' : ` until ${new Date(expiresAtMs).toISOString()}`
  if (from === 'default') return `default role ${role}`
  if (from === 'token') return `role ${role} of the service token`
  if (!principal) return `${from} of the organization`
  return `grant of ${role} to ${principalText(principal)}${until}`
}
