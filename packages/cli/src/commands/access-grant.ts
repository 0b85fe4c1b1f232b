import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'
import { parsePrincipal, placeText } from '../frame/principal.ts'
import { placeOf, scopeOption, type ScopeOptions } from '../frame/scope.ts'

interface Options extends ScopeOptions {
  readonly days?: string
}

const dayMs = 86_400_000

export const accessGrant = command<Options>({
  name: 'access grant',
  args: '<WHO> <ROLE> [STAGE]',
  completes: [undefined, undefined, 'stage', undefined],
  summary: 'Grant a role to a person, a group or a service token, instead of the one that they have there',
  target: 'stage',
  options: [scopeOption, ['--days <days>', 'days until the grant ends (default: never)']],
  examples: [
    ['access grant ada@example.com developer prod', 'also before she has accepted the invitation'],
    ['access grant "group:On call" maintainer --scope project', 'on all stages of the project'],
    ['access grant token:ci reader prod --days 7', 'ends by itself'],
  ],
  async run(context, [who = '', role = '', stage], { days, ...options }) {
    const { out } = context
    const place = placeOf(context, stage, options)
    if (days !== undefined && !(Number.isInteger(Number(days)) && Number(days) > 0))
      throw usage('--days must be a whole number greater than 0')
    const client = await context.service()
    const principal = await parsePrincipal(client, who)
    const expiresAtMs = days === undefined ? undefined : Date.now() + Number(days) * dayMs
    await client.manage.access.grant(principal, role, place, expiresAtMs === undefined ? {} : { expiresAtMs })
    if (out.isJson) return out.json({ principal, role, ...place, expiresAtMs })
    const until = expiresAtMs === undefined ? '' : ` until ${new Date(expiresAtMs).toISOString()}`
    out.note(`${who} has the role ${role} on ${placeText(place)}${until}.`)
  },
})
