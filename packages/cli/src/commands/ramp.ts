import { problemOfRampPlan, rampSteps, type RampPlan, type RampStep } from '@rollkey/contract/rules'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { usage } from '../frame/cli-error.ts'
import { sayProposed } from '../frame/proposal.ts'
import { chanceOf, percentText } from '../frame/chance.ts'
import { onVariable } from '../frame/names.ts'
import { timeOf, timeText, zoneOf, zoneOption } from '../frame/time.ts'

interface Options {
  readonly every?: string
  readonly at?: string
  readonly start?: string
  readonly zone?: string
  readonly notOn?: string
  readonly guard?: 'hold' | 'abort'
  readonly abortTo?: string
  readonly reason?: string
  readonly yes?: true
}

export const ramp = command<Options>({
  name: 'ramp',
  args: '<NAME> <CHANCE...>',
  summary: 'Raise the chance of an A/B roll step by step, at times that you choose',
  completes: ['variable', undefined],
  target: 'stage',
  options: [
    ['--every <interval>', 'time from step to step: 30m, 6h, 2d or 1w'],
    ['--at <time>', 'time of day of each step, such as 09:00, if steps are days or weeks apart'],
    ['--start <time>', 'not before this time, such as 2027-01-31 or 2027-01-31 09:00 (default: now)'],
    ['--not-on <days>', 'days without steps, such as sat,sun'],
    ['--guard <action>', 'hold or abort if chance alone does not explain which values were served', ['hold', 'abort']],
    ['--abort-to <chance>', 'chance after such an abort (default: 0)'],
    ['--reason <text>', 'why, for those who review it'],
    zoneOption,
    ['-y, --yes', 'skip the confirmation'],
  ],
  examples: [
    ['ramp NEW_CHECKOUT 1% 10% 50% 100% --every 2d', 'no user who has A loses it while the chance rises'],
    ['ramp NEW_CHECKOUT 10% 100% --every 1d --at 09:00 --zone Europe/Berlin --not-on sat,sun', 'on weekdays at 9'],
    ['change list', 'where it is; rollkey change pause and rollkey change abort end it'],
  ],
  async run(context, [name = '', ...chances], options) {
    const { out, prompt, where } = context
    const plan = planOf(chances, options)
    const guard = guardOf(options)
    const startMs = options.start === undefined ? Date.now() : startOf(options.start, plan.zone)
    const steps = rampSteps(plan, startMs)
    const client = await context.stage()
    if (!out.isJson && prompt.isFollowed(options)) showSteps(context, steps, plan.zone)
    if (!options.yes) await prompt.confirm(`Change the chance of ${name} in ${where} at these times?`, '--yes')
    const reason = options.reason ?? `Ramp of ${name}: ${steps.map(({ chance }) => percentText(chance)).join(' → ')}`
    const proposal = { reason, zone: plan.zone, ramp: { name, steps, guard, notOn: plan.notOn && [...plan.notOn] } }
    sayProposed(context, await onVariable(client, name, () => client.manage.changes.propose(proposal)))
  },
})

function planOf(chances: readonly string[], { every, at, zone, notOn }: Options): RampPlan {
  if (every === undefined) throw usage('--every is missing (expected an interval such as 30m, 6h, 2d or 1w)')
  const plan = {
    chances: chances.map((chance) => chanceOf(chance, 'The chance')),
    every,
    at: at?.padStart(5, '0'),
    zone: zoneOf(zone),
    notOn: notOn?.toLowerCase().split(/[\s,]+/),
  }
  const problem = problemOfRampPlan(plan)
  if (!problem) return plan as RampPlan
  const option = { every: '--every', at: '--at', notOn: '--not-on' }[String(problem.path[0])] ?? 'The list of chances'
  throw usage(`${option} ${problem.message}`)
}

function startOf(text: string, zone: string): number {
  return timeOf(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text} 00:00` : text, '--start', zone)
}

function guardOf({ guard, abortTo }: Options) {
  if (guard !== 'abort' && abortTo !== undefined) throw usage('--abort-to needs --guard abort')
  if (guard === undefined) return undefined
  return {
    onMisfit: guard,
    abortTo: abortTo === undefined ? undefined : chanceOf(abortTo, '--abort-to'),
  } as const
}

function showSteps({ out }: Context, steps: readonly RampStep[], zone: string): void {
  const rows = steps.map(({ atMs, chance }) => [timeText(atMs, zone), percentText(chance)])
  out.table([`time (${zone})`, 'chance of A'], rows)
}
