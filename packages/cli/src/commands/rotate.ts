import type { Client, ListedChange } from '@rollkey/sdk'
import type { ListedVariable } from '@rollkey/sdk/core'
import { rotationSteps } from '@rollkey/contract/rules'
import { joinNames } from '../formats/refuse.ts'
import { CliError, exit, usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { generatedBy, generatedOptions, type GeneratedOptions } from '../frame/generated-options.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { expectNames, onVariable } from '../frame/names.ts'
import { isProposal, nextText, proposalOptions, proposeChange, type ProposalOptions } from '../frame/proposal.ts'
import { noteUndo } from '../frame/stage-argument.ts'
import { spanOf } from '../frame/time.ts'
import { valueOf, valueOptions, type ValueOptions } from '../frame/value-input.ts'
import { countText } from '../frame/words.ts'

interface Options extends GeneratedOptions, ValueOptions, ProposalOptions {
  readonly stdin?: true
  readonly gradual?: string
  readonly finish?: true
  readonly back?: true
  readonly reveal?: true
  readonly yes?: true
}

export const rotate = command<Options>({
  name: 'rotate',
  args: '<NAME>',
  summary: 'Give a secret another value: a generated one, or one from stdin; at once or step by step',
  completes: ['variable', undefined],
  target: 'stage',
  options: [
    ...generatedOptions,
    ['--stdin', 'take the value from stdin, or ask for it, instead of generating one'],
    ['--gradual <time>', 'serve the old and the new value for this long, such as 1h, and more and more of the new one'],
    ['--finish', 'end a gradual rotation with the new value'],
    ['--back', 'end a gradual rotation with the old value'],
    ['--reveal', 'show the new value'],
    ...valueOptions,
    ...proposalOptions,
    ['-y, --yes', 'skip the confirmation'],
  ],
  examples: [
    ['rotate SESSION_KEY', 'asks, and writes a random value, which is not shown'],
    ['rotate DB_PASSWORD --as hex --length 32 --reveal', 'and shows it, for the database'],
    ['rotate API_KEY --stdin --yes < new-key.txt', 'a value that someone else has made'],
    ['rotate API_KEY --stdin --gradual 1h < new-key.txt', 'while both keys are valid'],
    ['rotate API_KEY --back', 'the old value from the next request on'],
  ],
  async run(context, [name = ''], options) {
    const { gradual, finish, back, reveal } = options
    const client = await context.stage()
    const { variables } = await client.list()
    expectNames([name], variables)
    const variable = variables.find((each) => each.name === name)
    if (finish || back) {
      if (finish && back) throw usage('--finish and --back exclude each other')
      return variable && end(context, client, variable, finish ? 'new' : 'old')
    }
    const totalMs = gradual === undefined ? undefined : spanOf(gradual, '--gradual')
    if (totalMs !== undefined && (options.propose || options.at !== undefined))
      throw usage('A gradual rotation is proposed in any case, and begins at once: leave out --propose and --at')
    if (variable) refuseOthers(variable)
    if (totalMs !== undefined) await refuseSecond(context, client, name)
    const value = options.stdin ? await valueOf(context, name, undefined, options) : generatedBy(options)
    if (totalMs !== undefined) await begin(context, client, { name, value, totalMs }, options)
    else if (isProposal(options))
      await proposeChange(context, client, { entries: [{ kind: 'secret', name, value }] }, options)
    else await write(context, client, { name, value }, options)
    if (reveal && !context.out.isJson) context.out.line(value)
  },
})

/** Throws INVALID_REQUEST for what a value alone cannot replace. */
function refuseOthers({ name, kind, template, rotating }: ListedVariable): void {
  const reason = rotating
    ? [`${name} is being rotated already`, `rollkey rotate ${name} --finish`]
    : kind !== 'secret'
      ? [`${name} is a roll (expected a secret)`, 'rollkey set --help']
      : template
        ? [`${name} is a template (expected a secret with its own value): rotate what it names`, 'rollkey list']
        : undefined
  if (reason) throw new CliError('INVALID_REQUEST', reason[0] ?? '', { status: exit.invalid, command: reason[1] ?? '' })
}

/** Throws CHANGE_CONFLICT if a rotation has been proposed already, such as by a command whose answer was lost. */
async function refuseSecond(context: Context, client: Client, name: string): Promise<void> {
  const change = await rotationOf(context, client, name)
  if (change)
    throw new CliError('CHANGE_CONFLICT', `A rotation of ${name} has been proposed already, by ${change.id}`, {
      status: exit.invalid,
      command: `rollkey rotate ${name} --back`,
    })
}

async function write(
  context: Context,
  client: Client,
  { name, value }: { readonly name: string; readonly value: string },
  { reveal, yes }: Options,
): Promise<void> {
  const { out, prompt, where } = context
  if (!yes)
    await prompt.confirm(`Rotate ${name} in ${where}? Programs get the new value when they ask the next time.`, '--yes')
  const { updated, revision } = await client.write({ entries: [{ kind: 'secret', name, value }] })
  const templates = updated.filter((each) => each !== name)
  const bytes = Buffer.byteLength(value)
  if (out.isJson) {
    out.json({ name, revision, bytes, ...(templates.length > 0 && { templates }), ...(reveal && { value }) })
    return
  }
  const followed = templates.length > 0 ? ` Templates that follow it: ${joinNames(templates)}.` : ''
  out.note(`${name} rotated in ${where}: ${countText(bytes, 'byte')} (revision ${revision}).${followed}`)
  noteUndo(context, [name], revision)
}

async function begin(
  { out, where }: Context,
  client: Client,
  { name, value, totalMs }: { readonly name: string; readonly value: string; readonly totalMs: number },
  { reason = `Rotation of ${name}`, zone, reveal }: Options,
): Promise<void> {
  const steps = rotationSteps(Date.now(), totalMs)
  const ramp = { name, value, steps }
  const change = await onVariable(client, name, () => client.manage.changes.propose({ reason, zone, ramp }))
  const { id, state } = change
  if (out.isJson) return out.json({ id, name, state, steps, ...(reveal && { value }) })
  out.note(`Began to rotate ${name} in ${where}, by ${id}. ${nextText(change)}`)
  out.note(`rollkey rotate ${name} --back returns to the old value, and --finish goes on to the new one at once.`)
}

type Side = 'new' | 'old'

/**
 * Ends a rotation with one of its values, from wherever it was left: before its first step, while it runs or is paused, and without a change
 * that would go on, after a step that failed or in a copy.
 */
async function end(context: Context, client: Client, variable: ListedVariable, side: Side): Promise<void> {
  const { name } = variable
  const change = await rotationOf(context, client, name)
  if (change?.state === 'open') return withdraw(context, client, { name, change, side })
  if (!change && !variable.rotating) throw notRotating(context, name)
  const { revision } = change
    ? await client.manage.changes.abort({ id: change.id, chance: side === 'new' ? 1 : 0 })
    : await keep(context, client, name, side)
  if (context.out.isJson) return context.out.json({ id: change?.id, name, value: side, revision })
  const { where } = context
  context.out.note(
    variable.rotating
      ? `Ended the rotation of ${name} in ${where}: everyone gets the ${side} value (revision ${revision}).`
      : `Ended the rotation of ${name} in ${where}: something else was written to it since, which stays.`,
  )
}

/** Withdraws a rotation before its first step. */
async function withdraw(
  { out, where }: Context,
  client: Client,
  { name, change: { id }, side }: { readonly name: string; readonly change: ListedChange; readonly side: Side },
): Promise<void> {
  if (side === 'new')
    throw new CliError(
      'CHANGE_CONFLICT',
      `The rotation of ${name} has not begun: wait for its first step, or go back and rotate at once`,
      { status: exit.invalid, command: `rollkey change show ${id}` },
    )
  await client.manage.changes.withdraw({ id })
  if (out.isJson) return out.json({ id, name, value: side })
  out.note(`Withdrew the rotation of ${name} in ${where} before it began: everyone gets the old value.`)
}

function notRotating({ where }: Context, name: string): CliError {
  return new CliError('NOT_FOUND', `No rotation of ${name} runs in ${where}: everyone gets one value already`, {
    status: exit.notFound,
    command: `rollkey history ${name}`,
  })
}

/** Writes one of the two values of a rotation that no change ends any more. */
async function keep(
  context: Context,
  client: Client,
  name: string,
  side: Side,
): Promise<{ readonly revision: number }> {
  const reveal = () => client.manage.reveal({ names: [name] })
  const { variables, revision } = await withConfirmation(context, client, reveal)
  const [entry] = variables
  if (entry?.kind !== 'ab_roll') throw notRotating(context, name)
  const value = side === 'new' ? entry.valueA : entry.valueB
  return client.write({ entries: [{ kind: 'secret', name, value }], ifRevision: revision })
}

/** Returns the change that rotates the secret. */
async function rotationOf(
  { settings: { project, stage } }: Context,
  client: Client,
  name: string,
): Promise<ListedChange | undefined> {
  const [projectSlug, stageSlug] = [project?.value, stage?.value]
  const states = ['open', 'running', 'paused'] as const
  const { changes } = await client.manage.changes.list({ projectSlug, stageSlug, states: [...states] })
  return changes.find(({ steps, names }) => steps && names.includes(name))
}
