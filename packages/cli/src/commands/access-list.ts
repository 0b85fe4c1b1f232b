import { command } from '../frame/command.ts'
import { placeText, principalText } from '../frame/principal.ts'
import { placeOf, scopeOption, type ScopeOptions } from '../frame/scope.ts'

export const accessList = command<ScopeOptions>({
  name: 'access list',
  args: '[STAGE]',
  completes: ['stage', undefined],
  summary: 'List who was granted which role on a stage and around it',
  target: 'stage',
  options: [scopeOption],
  examples: [
    ['access list prod', 'grants on the stage, on its project and on the organization'],
    ['access list --scope organization --json', 'all grants, for a script'],
  ],
  async run(context, [stage], options) {
    const { out } = context
    const place = placeOf(context, stage, options)
    const { requestId: _, ...access } = await (await context.service()).manage.access.list(place)
    if (out.isJson) return out.json(access)
    const { grants, defaultRole, protectedStages } = access
    const rows = grants.map(({ principal, role, expiresAtMs, ...at }) => [
      principalText(principal),
      role,
      placeText(at),
      expiresAtMs === undefined ? 'never' : new Date(expiresAtMs).toISOString(),
    ])
    out.table(['who', 'role', 'scope', 'ends'], rows)
    out.note(
      defaultRole === 'none'
        ? 'Members have no role by default.'
        : `Members have the role ${defaultRole} on everything that is not protected.`,
    )
    if (protectedStages.length > 0) out.note(`Protected: ${protectedStages.map(placeText).join(', ')}.`)
  },
})
