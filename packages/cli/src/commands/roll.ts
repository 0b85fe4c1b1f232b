import { problemOfRules } from '@rollkey/contract/rules'
import type { Client, Labels, Roll, TargetingRule, VariableUpdate } from '@rollkey/sdk'
import { contextOption, rollOf, warnOfKeyAlone, type RollOptions } from '../frame/roll-options.ts'
import { chanceForm, chanceOf, percentText } from '../frame/chance.ts'
import { CliError, exit, usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import type { Context } from '../frame/context.ts'
import { expectNames, onVariable } from '../frame/names.ts'
import { isProposal, proposalOptions, type ProposalOptions, proposeChange } from '../frame/proposal.ts'
import { notePaused } from '../frame/paused.ts'
import { noteUndo, stageOf } from '../frame/stage-argument.ts'
import { forceOption, sayUnchanged, unchangedRevision, type ForceOptions } from '../frame/unchanged.ts'
import { readUtf8 } from '../frame/utf8.ts'
import { countText } from '../frame/words.ts'

interface ShowOptions {
  readonly pins?: true
}

const rollShow = command<ShowOptions>({
  name: 'roll show',
  args: '<NAME>',
  summary: 'Show how an A/B roll decides, without its values',
  completes: ['variable', undefined],
  target: 'stage',
  options: [['--pins', 'list the pinned seeds, which the audit log records']],
  examples: [
    ['roll show NEW_CHECKOUT', 'the order of its decision: pins, rules, chance'],
    ['roll show NEW_CHECKOUT --pins --json', 'with the pinned seeds, for a script'],
  ],
  async run(context, [name = ''], { pins: showsPins }) {
    const { out } = context
    const client = await context.stage()
    const { variables, revision } = await client.list()
    expectNames([name], variables)
    const { chance, labels, rules = [], pinned = { a: 0, b: 0 } } = variables.find((each) => each.name === name) ?? {}
    if (chance === undefined)
      throw new CliError('INVALID_REQUEST', `${name} is not a roll`, { status: exit.invalid, command: 'rollkey list' })
    const pins = showsPins && (await withConfirmation(context, client, () => client.pins(name)))
    const seeds = pins && { a: pins.a, b: pins.b }
    if (out.isJson) return out.json({ name, revision, chance, labels, rules, pinned, ...(seeds && { pins: seeds }) })
    const sideText = (side: 'a' | 'b'): string => `${side.toUpperCase()}${labels ? ` (${labels[side]})` : ''}`
    const pinRows = (['a', 'b'] as const).flatMap((side) =>
      (seeds?.[side] ?? (pinned[side] > 0 ? [seedsText(pinned[side])] : [])).map((seed) => [
        'pin',
        seed,
        sideText(side),
      ]),
    )
    const ruleRows = rules.map((rule, index) => [`rule ${index + 1}`, ...ruleTexts(rule)])
    out.table(
      ['step', 'for', 'gives'],
      [...pinRows, ...ruleRows, ['chance', 'all others', `${sideText('a')} for ${percentText(chance)}`]],
    )
  },
})

/** Returns the conditions and the outcome of a rule, such as "plan in pro, team" and "A". */
function ruleTexts({ when, then }: TargetingRule): [conditions: string, outcome: string] {
  const conditions = Object.entries(when).flatMap(([attribute, condition]) =>
    Object.entries(condition).map(([operator, operand]) => `${attribute} ${operator} ${[operand].flat().join(', ')}`),
  )
  return [conditions.join(' and '), typeof then === 'number' ? `A for ${percentText(then)}` : then.toUpperCase()]
}

interface ExplainOptions extends RollOptions {
  readonly local?: true
}

/** Returns the decision of this program by the ruleset of the service. Throws RollkeyError. */
async function decideHere(client: Client, name: string, roll: Roll) {
  const local = await client.local({ names: [name], reports: false })
  const { decision = 'b', step = 'chance', rule, chance } = local.inspect(name, roll)
  await local.close()
  return { decision, step, ...(rule !== undefined && { rule }), ...(chance !== undefined && { chance }) }
}

const rollExplain = command<ExplainOptions>({
  name: 'roll explain',
  args: '<NAME>',
  summary: 'Explain which step of an A/B roll decides for a user',
  completes: ['variable', undefined],
  target: 'stage',
  options: [
    ['--seed <seed>', 'user, such as a user id'],
    ['--key <key>', 'experiment; without --seed, it gives everyone the same side'],
    contextOption,
    ['--local', 'also decide here, as programs do that decide by themselves; bills one evaluation'],
  ],
  examples: [
    ['roll explain NEW_CHECKOUT --seed user-1', 'such as: B, because chance: 0.31 ≥ 0.2'],
    [`roll explain NEW_CHECKOUT --seed user-1 --context '{"plan": "pro"}'`, 'such as: A, because rule 1'],
  ],
  async run(context, [name = ''], { local: isLocal, ...options }) {
    const { out } = context
    const client = await context.stage()
    const roll = rollOf(options)
    const explain = () => onVariable(client, name, () => client.explain(name, roll))
    const { requestId: _, ...explained } = await withConfirmation(context, client, explain)
    warnOfKeyAlone(out, roll)
    const local = isLocal ? await decideHere(client, name, roll) : undefined
    if (out.isJson) return out.json({ ...explained, ...(local && { local }) })
    const { decision, text } = explained
    out.line(decision ? `${decision.toUpperCase()}, because ${text}` : text)
    if (!local) return
    const by = local.step === 'rule' ? `rule ${local.rule}` : local.step
    out.line(`here: ${decision ? local.decision.toUpperCase() : 'random'}, by ${by}`)
    if (decision && decision !== local.decision)
      throw new CliError(
        'INVALID_ANSWER',
        'The service and this program decide differently: try again if the roll has just changed, or install the version of the service',
        { status: exit.error },
      )
  },
})

/** Changes a roll, or proposes that, and says so. */
async function changeRoll(
  context: Context,
  name: string,
  change: Omit<VariableUpdate, 'name'>,
  { what, options }: { readonly what: string; readonly options: ProposalOptions },
): Promise<void> {
  const { out, where } = context
  const client = await context.stage()
  const updates = [{ name, ...change }]
  if (isProposal(options)) return onVariable(client, name, () => proposeChange(context, client, { updates }, options))
  const { revision } = await onVariable(client, name, () => client.update(updates))
  if (out.isJson) out.json({ name, revision })
  else out.note(`${what} in ${where} (revision ${revision}).`)
  if (change.chance !== undefined) await notePaused(context, client, stageOf(context), revision)
}

interface SetOptions extends ProposalOptions, ForceOptions {
  readonly chance?: string
  readonly labels?: readonly string[] | false
}

const rollSet = command<SetOptions>({
  name: 'roll set',
  args: '<NAME>',
  summary: 'Set the chance of an A/B roll, or the labels of its sides, and keep its values',
  completes: ['variable', undefined],
  target: 'stage',
  options: [
    ['--chance <chance>', `probability of A, such as ${chanceForm}`],
    ['--labels <labels...>', 'names of A and B'],
    ['--no-labels', 'remove the names'],
    forceOption,
    ...proposalOptions,
  ],
  examples: [
    ['roll set NEW_CHECKOUT --chance 50%', 'no user who has A loses it if the chance rises'],
    ['roll set NEW_CHECKOUT --labels on off', 'OpenFeature shows them as variants'],
  ],
  async run(context, [name = ''], { chance, labels, ...options }) {
    const change: Omit<VariableUpdate, 'name'> = {
      ...(chance !== undefined && { chance: chanceOf(chance) }),
      ...(labels === false ? { labels: null } : Array.isArray(labels) && { labels: labelsOf(labels) }),
    }
    if (Object.keys(change).length === 0) throw usage('Nothing to set: add --chance, --labels or --no-labels')
    const fields = Object.keys(change).join(' and ')
    if (!isProposal(options)) {
      const unchangedAt = await unchangedRevision(await context.stage(), name, change, options)
      if (unchangedAt !== undefined) return sayUnchanged(context, name, unchangedAt, `that ${fields}`)
    }
    await changeRoll(context, name, change, { what: `Changed the ${fields} of ${name}`, options })
  },
})

function labelsOf([a, b, ...more]: readonly string[]): Labels {
  if (a === undefined || b === undefined || more.length > 0) throw usage('--labels needs exactly two names')
  return { a, b }
}

const rollPin = command<ProposalOptions>({
  name: 'roll pin',
  args: '<NAME> <SIDE> <SEED...>',
  summary: 'Pin seeds to side a or b of an A/B roll',
  completes: ['variable', undefined],
  target: 'stage',
  options: proposalOptions,
  examples: [
    ['roll pin NEW_CHECKOUT a user-1 user-2', 'these users get A, whatever rules and chance say'],
    ['roll pin NEW_CHECKOUT b - < users.txt', 'one seed a line; keeps them out of the process list'],
  ],
  async run(context, [name = '', given = '', ...args], options) {
    const side = given.toLowerCase()
    if (side !== 'a' && side !== 'b') throw usage('The side is neither a nor b')
    const seeds = await seedsOf(context, args)
    if (seeds.length === 0) throw usage('There is no seed to pin: pass at least one')
    const what = `Pinned ${seedsText(seeds.length)} to ${side.toUpperCase()} of ${name}`
    await changeRoll(context, name, { pin: { [side]: seeds } }, { what, options })
  },
})

/** Returns the seeds of the arguments, or the lines of stdin for `-`, which keeps them out of the process list. */
async function seedsOf(context: Context, args: readonly string[]): Promise<string[]> {
  if (args.length !== 1 || args[0] !== '-') return [...args]
  return (await readUtf8(context, '-', 'INVALID_REQUEST', 'rollkey roll pin --help'))
    .split(/\r?\n/)
    .filter((line) => line !== '')
}

/** Returns a count such as "1 seed". */
function seedsText(count: number): string {
  return countText(count, 'seed')
}

interface UnpinOptions extends ProposalOptions {
  readonly all?: true
}

const rollUnpin = command<UnpinOptions>({
  name: 'roll unpin',
  args: '<NAME> [SEED...]',
  summary: 'Remove pins of an A/B roll',
  completes: ['variable', undefined],
  target: 'stage',
  options: [['--all', 'remove all pins'], ...proposalOptions],
  examples: [
    ['roll unpin NEW_CHECKOUT user-1', 'rules and chance decide for this user again'],
    ['roll unpin NEW_CHECKOUT - < users.txt', 'one seed a line'],
    ['roll unpin NEW_CHECKOUT --all', 'the history keeps the former pins'],
  ],
  async run(context, [name = '', ...args], { all, ...options }) {
    if (all !== undefined && args.length > 0) throw usage('--all cannot be combined with seeds')
    if (all) return changeRoll(context, name, { pins: null }, { what: `Removed all pins of ${name}`, options })
    const seeds = await seedsOf(context, args)
    if (seeds.length === 0) throw usage('There is no seed to unpin: pass one, or --all')
    const what = `Removed the pins of ${seedsText(seeds.length)} of ${name}`
    await changeRoll(context, name, { unpin: seeds }, { what, options })
  },
})

interface RuleOptions extends ProposalOptions {
  readonly clear?: true
}

const rollRule = command<RuleOptions>({
  name: 'roll rule',
  args: '<NAME> [FILE]',
  summary: 'Set the targeting rules of an A/B roll from a JSON file, or from stdin for -',
  completes: ['variable', undefined],
  target: 'stage',
  options: [['--clear', 'remove all rules'], ...proposalOptions],
  examples: [
    ['roll rule NEW_CHECKOUT rules.json', '[{"when": {"plan": {"in": ["pro", "team"]}}, "then": "a"}]'],
    ['roll show NEW_CHECKOUT --json | jq .rules > rules.json', 'the present rules, to edit them'],
    ['roll rule NEW_CHECKOUT --clear', 'pins and the chance stay'],
  ],
  async run(context, [name = '', file], { clear, ...options }) {
    if (clear ? file !== undefined : file === undefined) throw usage('Pass a file with rules, - for stdin, or --clear')
    if (file === undefined)
      return changeRoll(context, name, { rules: null }, { what: `Removed all rules of ${name}`, options })
    const rules = await rulesIn(context, file)
    const count = countText(rules.length, 'rule')
    await changeRoll(context, name, { rules }, { what: `Set ${count} of ${name}`, options })
  },
})

/** Reads the rules. Throws NOT_READ or INVALID_REQUEST. */
async function rulesIn(context: Context, file: string): Promise<TargetingRule[]> {
  const help = 'rollkey roll rule --help'
  const json = await readUtf8(context, file, 'INVALID_REQUEST', help)
  let rules: unknown
  try {
    rules = JSON.parse(json)
  } catch {}
  const problem = problemOfRules(rules)
  if (!problem) return rules as TargetingRule[]
  const where = problem.path.reduce<string>(
    (at, part) => at + (typeof part === 'number' ? `[${part}]` : `.${part}`),
    '',
  )
  const name = file === '-' ? 'stdin' : file
  throw new CliError('INVALID_REQUEST', `${name}${where && ` at ${where}`} ${problem.message}`, {
    status: exit.invalid,
    command: help,
  })
}

const rollStop = command<ProposalOptions>({
  name: 'roll stop',
  args: '<NAME>',
  summary: 'Stop an A/B roll: everyone gets B, without rules and pins',
  completes: ['variable', undefined],
  target: 'stage',
  options: proposalOptions,
  examples: [['roll stop NEW_CHECKOUT', 'the history keeps the former state, and can restore it']],
  async run(context, [name = ''], options) {
    const { out, where } = context
    const client = await context.stage()
    if (isProposal(options)) {
      const stopped = { name, chance: 0, pins: null, rules: null }
      return onVariable(client, name, () => proposeChange(context, client, { updates: [stopped] }, options))
    }
    const { revision } = await onVariable(client, name, () => client.stopRoll(name))
    if (out.isJson) return out.json({ name, revision })
    out.note(`${name} in ${where} gives everyone B (revision ${revision}).`)
    noteUndo(context, [name], revision)
    await notePaused(context, client, stageOf(context), revision)
  },
})

export const rollCommands = [rollShow, rollExplain, rollSet, rollPin, rollUnpin, rollRule, rollStop]
