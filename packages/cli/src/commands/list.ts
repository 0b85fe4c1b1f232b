import { endedSide, limits, staleness } from '@rollkey/contract/rules'
import type { Answer } from '@rollkey/sdk'
import type { ListedVariable } from '@rollkey/sdk/core'
import { percentText } from '../frame/chance.ts'
import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import type { Output } from '../frame/output.ts'
import { agoText } from '../frame/time.ts'
import { aspectText, countText, kindText, lineText, typeText } from '../frame/words.ts'
import { withLastValuesNamed } from '../offline/stage-values.ts'

interface Options {
  readonly stale?: string
  readonly due?: true
}

/** The order for people, in which BULK_10 follows BULK_9. Scripts get that of the service. */
const { compare } = new Intl.Collator('en', { numeric: true })
const byName = (a: ListedVariable, b: ListedVariable): number => compare(a.name, b.name)

export const list = command<Options>({
  name: 'list',
  summary: 'List the variables of a stage without their values',
  target: 'stage',
  options: [
    ['--stale <days>', `only what can be deleted: not evaluated for this long, such as ${limits.staleDays}d`],
    ['--due', 'only what should have got another value by now, as its declaration says'],
  ],
  examples: [
    ['list', 'names, kinds, types, attributes and times of the last change'],
    ['list --stage prod --json', 'the same, for a script'],
    ['list | cut -f1', 'names only'],
    ['list --due', 'what is to be rotated, since when, and who sees to it'],
    ['list --stale 30d', 'what nothing used for 30 days, and rolls that gave all the same side for as long'],
  ],
  async run(context, _, { stale, due }) {
    const { out } = context
    if (stale !== undefined && due) throw usage('--stale and --due exclude each other')
    if (due) return listDue(out, await (await context.stage()).manage.declarations.check({}))
    const days = stale === undefined ? undefined : daysOf(stale)
    const stage = await context.stage()
    const { variables, revision } = await withLastValuesNamed(context, () => stage.list())
    if (days !== undefined) return listStale(out, variables, days)
    if (out.isJson) return out.json({ revision, variables })
    const rows = (out.isTerminal ? variables.toSorted(byName) : variables).map(
      ({ name, kind, template, rotating, declaredType, chance, exposure, description, ...dates }) => [
        name,
        [kindText({ kind, exposure }, out), template ? 'template' : rotating && 'rotating'].filter(Boolean).join(', '),
        typeText(declaredType ?? '-', out),
        chance === undefined ? '-' : out.isTerminal ? percentText(chance) : String(chance),
        exposure ?? '-',
        out.isTerminal ? agoText(dates.updatedAtMs) : new Date(dates.updatedAtMs).toISOString(),
        dates.lastEvaluatedDay ?? '-',
        // On one line, last because it may be long.
        lineText(description),
      ],
    )
    const visibility = aspectText('exposure', out)
    out.table(['name', 'kind', 'type', 'chance', visibility, 'updated', 'evaluated', 'description'], rows, {
      shortened: 'description',
    })
    if (rows.length === 0) out.note('The stage has no variables. Create one with rollkey set.')
  },
})

function listDue(out: Output, { problems }: Pick<Answer<'declarationCheck'>, 'problems'>): void {
  const found = problems.filter(({ problem }) => problem === 'overdue')
  if (out.isJson) return out.json({ variables: found.map(({ name, dueAtMs, owner }) => ({ name, dueAtMs, owner })) })
  const rows = found.map(({ name, dueAtMs = 0, owner = '-' }) => [
    name,
    out.isTerminal ? agoText(dueAtMs) : new Date(dueAtMs).toISOString(),
    owner,
    `rollkey rotate ${name}`,
  ])
  out.table(['name', 'due', 'owner', 'what to do'], rows)
  if (rows.length === 0) out.note('Nothing is due: see rotateEveryDays of rollkey declare pull.')
}

/** Returns the days of `30d` or `30`. Throws USAGE. */
function daysOf(text: string): number {
  const days = Number(/^(\d{1,4})d?$/.exec(text)?.[1])
  if (days > 0) return days
  throw usage(`--stale must be a number of days such as ${limits.staleDays}d`)
}

function listStale(out: Output, variables: readonly ListedVariable[], days: number): void {
  const nowMs = Date.now()
  const found = variables.flatMap((variable) => {
    const why = staleness(variable, nowMs, days)
    return why ? [{ ...variable, staleness: why }] : []
  })
  if (out.isJson) return out.json({ variables: found })
  const rows = found.map((variable) => [
    variable.name,
    variable.staleness,
    variable.lastEvaluatedDay ?? '-',
    adviceOn(variable, variable.staleness),
  ])
  out.table(['name', 'stale', 'evaluated', 'what to do'], rows)
  if (rows.length === 0) out.note(`Nothing can be deleted: everything was evaluated within ${countText(days, 'day')}.`)
}

function adviceOn(variable: ListedVariable, why: 'unused' | 'done'): string {
  if (why === 'unused') return `check that nothing needs it, then run: rollkey delete ${variable.name}`
  const side = endedSide(variable)?.toUpperCase()
  return `everyone gets ${side} here: if that is so in each stage, use value ${side} in the code, then run: rollkey delete ${variable.name}`
}
