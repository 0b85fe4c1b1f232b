import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'
import { placeText, principalText } from '../frame/principal.ts'
import { parseStage } from '../frame/stage-argument.ts'

interface Options {
  readonly verb?: string
  readonly at?: string
}

const verbs = ['list', 'read', 'write', 'approve', 'manage'] as const

export const accessHolders = command<Options>({
  name: 'access holders',
  args: '[STAGE]',
  completes: ['stage', undefined],
  summary: 'Show who can read a stage, or could at an earlier time',
  target: 'stage',
  options: [
    ['--verb <verb>', 'list, read, write, approve or manage (default: read)', verbs],
    ['--at <time>', 'an earlier time, such as 2027-01-31 or 2027-01-31T18:00Z (default: now)'],
  ],
  examples: [
    ['access holders prod', 'who can read the values of the stage'],
    ['access holders prod --at 2027-01-31 --json', 'who could at the beginning of that day (UTC)'],
  ],
  async run(context, [name], { verb = 'read', at }) {
    const { out, settings } = context
    const known = verbs.find((each) => each === verb)
    if (!known) throw usage(`Unknown --verb ${JSON.stringify(verb)} (expected ${verbs.join(', ')})`)
    const atMs = at === undefined ? undefined : Date.parse(at)
    if (Number.isNaN(atMs)) throw usage(`--at ${JSON.stringify(at)} is not a time (expected one such as 2027-01-31)`)
    const stage = name ?? settings.stage?.value
    if (stage === undefined) throw usage('No stage is set (expected STAGE or --stage)')
    const client = (await context.service()).at(parseStage(context, stage))
    const { requestId: _, ...answer } = await client.manage.access.holders({
      verb: known,
      ...(atMs !== undefined && { atMs }),
    })
    if (out.isJson) return out.json(answer)
    const rows = answer.holders.map(({ principal, via, role, ...place }) => [
      principalText(principal),
      role,
      placeText(place),
      via === undefined ? '' : `group:${via}`,
    ])
    out.table(
      ['who', 'role', 'scope', 'by'],
      answer.members ? [['every member', '', '*', 'default role'], ...rows] : rows,
    )
    if (!answer.members && rows.length === 0) out.note(`No one has ${known} there.`)
    out.note(`As of ${new Date(answer.atMs).toISOString()}${answer.isProtected ? '; the stage is protected' : ''}.`)
  },
})
