import { declaredTypes, exposures, isMoreExposed, valuesOf } from '@rollkey/contract/rules'
import type { Client, DeclaredType, Exposure, VariableUpdate, WriteEntry } from '@rollkey/sdk'
import type { ListedVariable } from '@rollkey/sdk/core'
import { isEnvironmentName, joinNames } from '../formats/refuse.ts'
import { chanceForm, chanceOf, percentText } from '../frame/chance.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import {
  confirmCreation,
  creationOptions,
  existingIn,
  anyNameCommand,
  nameRule,
  type CreationOptions,
  type Existing,
} from '../frame/creation.ts'
import { exit, CliError, usage } from '../frame/cli-error.ts'
import { onVariable } from '../frame/names.ts'
import { forceOption, sayUnchanged, unchangedNames, unchangedRevision, type ForceOptions } from '../frame/unchanged.ts'
import { notePaused } from '../frame/paused.ts'
import { noteUndo, stageOf } from '../frame/stage-argument.ts'
import { valueOf, valueOptions, type ValueOptions } from '../frame/value-input.ts'
import { aspectText, countText } from '../frame/words.ts'
import { isProposal, proposeChange, proposalOptions, type ProposalOptions } from '../frame/proposal.ts'

interface Options extends CreationOptions, ProposalOptions, ForceOptions, ValueOptions {
  readonly ab?: readonly string[]
  readonly chance?: string
  readonly type?: DeclaredType
  readonly description?: string
  readonly visibility?: Exposure
  readonly plain?: true
  readonly keepValue?: true
  readonly template?: true
}

export const set = command<Options>({
  name: 'set',
  args: '<NAME> [VALUE]',
  summary: 'Create or change one variable',
  completes: ['variable', undefined],
  target: 'stage',
  options: [
    ['--ab <values...>', 'make an A/B roll of these two values'],
    ['--chance <chance>', `probability of the first value, such as ${chanceForm}`],
    [
      '--type <type>',
      'string (text), boolean, int64 (whole number), float (number), date or json (default: unchanged)',
      declaredTypes,
    ],
    ['--description <text>', 'what the variable is for; an empty text removes it (default: unchanged)'],
    [
      '--exposure, --visibility <who>',
      'who sees the value without a reveal: secret, plain or client (default: unchanged)',
      exposures,
    ],
    ['--plain', 'the same as --visibility plain'],
    ['--template', 'replace each ${NAME} in the value by the secret NAME of the stage, now and whenever that changes'],
    ['--keep-value', 'change only the description or visibility of an existing variable'],
    ...valueOptions,
    forceOption,
    ...proposalOptions,
    ...creationOptions,
  ],
  examples: [
    ['set API_KEY', 'asks for the value without echo'],
    ['set API_KEY --create', 'in a project or stage that does not exist yet'],
    ['set API_KEY < key.pem', 'from a file, which keeps it out of the process list and the shell history'],
    ['set LIMIT 25 --type int64', 'from the command line'],
    ['set NEW_CHECKOUT --ab true false --type boolean --plain --chance 20%', 'true for one of five users'],
    ['set NEW_CHECKOUT --chance 50%', 'now on for one of two; no user who had it loses it'],
    [`set DATABASE_URL 'postgres://app:\${DB_PASSWORD}@db/app' --template`, 'follows the password'],
    ['set LIMIT 25 --propose --reason "Larger carts"', 'others review it: rollkey change list'],
    ['set LIMIT --keep-value --plain', 'people see the value, which stays the same, without a reveal'],
  ],
  async run(context, [name = '', value], { ab, chance, type, template, ...options }) {
    const { out, where } = context
    if (!options.anyName) refuseAssignment(name)
    const attributes = attributesFrom(options)
    if (options.keepValue) {
      return setAttributes(context, name, attributes, {
        more: value ?? ab?.[0] ?? chance ?? type ?? (template && 'template'),
        options,
      })
    }
    if (ab === undefined && chance !== undefined) {
      return setChance(context, name, chance, {
        more: value ?? type ?? (template && 'template') ?? Object.keys(attributes)[0],
        options,
      })
    }
    const sides = ab && sidesOf(ab, chance, value)
    const client = await context.stage()
    const existing = await confirmNames(context, client, { name, value }, options)
    const stated = { name, declaredType: type, template, ...attributes }
    const entry: WriteEntry = sides
      ? { kind: 'ab_roll', ...sides, ...stated }
      : { kind: 'secret', value: await valueOf(context, name, value, options), ...stated }
    if (isProposal(options)) return proposeChange(context, client, { entries: [entry] }, options)
    if (!options.force && existing && (await unchangedNames(client, [entry], existing.variables)).has(name))
      return sayUnchanged(context, name, existing.revision, 'that value')
    const { created, updated, revision } = await client.write({ entries: [entry] })
    const change = created.includes(name) ? 'created' : 'updated'
    const templates = updated.filter((each) => each !== name)
    if (out.isJson) {
      out.json({ name, change, revision, bytes: bytesOf(entry), ...(templates.length > 0 && { templates }) })
      return
    }
    const content = contentText(entry, existing?.variables.get(name))
    const followed = templates.length > 0 ? ` Templates that follow it: ${joinNames(templates)}.` : ''
    out.note(`${name} ${change} in ${where}: ${content} (revision ${revision}).${followed}`)
    if (looksBoolean(entry, existing?.variables.get(name)))
      out.note(
        `${sides ? 'Its values are' : 'Its value is'} text, also "false". With --type boolean, programs get true and false.`,
      )
    noteUndo(context, [name], revision)
    if (existing?.variables.get(name)?.kind === 'ab_roll') await notePaused(context, client, stageOf(context), revision)
  },
})

/** Refuses `NAME=value`, the form of other tools: the value would become part of a name, which is not secret. */
function refuseAssignment(name: string): void {
  const [before = '', ...after] = name.split('=')
  if (after.length === 0) return
  // A text that ends with the sign may be Base64, so it may be a value.
  const form = isEnvironmentName(before) && after.some((part) => part !== '') ? `rollkey set ${before}` : undefined
  throw usage(
    'NAME=value is not supported (expected NAME alone): the value would become part of the name. Enter it at the prompt, by ' +
      'stdin or as a second argument',
    form,
  )
}

/** Checks that the name and the stage may be created. Returns what the stage has, undefined if it is new. */
async function confirmNames(
  context: Context,
  client: Client,
  { name, value }: { readonly name: string; readonly value: string | undefined },
  options: CreationOptions,
): Promise<Existing | undefined> {
  const isOdd = !isEnvironmentName(name) && !options.anyName
  const existing = await existingIn(client)
  // The name is not quoted unless it consists of words and has a value: it may be a value that was entered by mistake.
  if (isOdd && (existing instanceof Error || !existing.variables.has(name))) {
    const valid = value === undefined ? undefined : validNameLike(name)
    const hint = valid === undefined ? '' : ` (did you mean ${valid}?)`
    throw new CliError('INVALID_NAME', nameRule + hint, { status: exit.invalid, command: anyNameCommand })
  }
  if (!(existing instanceof Error)) return existing
  await confirmCreation(context, existing, `Create ${context.where}?`, options)
  return undefined
}

/** Returns the valid form of a name of words, such as `new_checkout` of `new-checkout`. */
function validNameLike(name: string): string | undefined {
  return /^[a-z]{1,16}(?:[-.][a-z]{1,16}){1,4}$/i.test(name) ? name.replaceAll(/[-.]/g, '_') : undefined
}

function bytesOf(entry: WriteEntry): number[] {
  return valuesOf(entry).map((each) => Buffer.byteLength(each))
}

/** A value that a sentence quotes: short, and on one line. */
const quotable = /^.{1,20}$/

/** Describes what was written: how frequently a roll gives each side, and otherwise the size. Quotes no value that is a secret. */
function contentText(entry: WriteEntry, before: ListedVariable | undefined): string {
  if (entry.kind === 'secret') return countText(Buffer.byteLength(entry.value), 'byte')
  const { valueA, valueB, chance, exposure = before?.exposure } = entry
  const isShown = isMoreExposed(exposure ?? undefined) && quotable.test(valueA) && quotable.test(valueB)
  const [a, b] = isShown ? [valueA, valueB] : ['A', 'B']
  return `${a} ${percentText(chance)} / ${b} ${percentText(1 - chance)}`
}

/** Returns whether the values are true or false, and no type says that they are boolean. */
function looksBoolean(entry: WriteEntry, before: ListedVariable | undefined): boolean {
  if ((entry.declaredType ?? before?.declaredType) !== undefined) return false
  return valuesOf(entry).every((value) => value === 'true' || value === 'false')
}

/** A change without a value. */
interface WithoutValue {
  /** Something else that is stated. */
  readonly more: string | undefined
  readonly options: ProposalOptions & ForceOptions
}

/** Sets the chance of an existing roll without its values. */
async function setChance(
  context: Context,
  name: string,
  argument: string,
  { more, options }: WithoutValue,
): Promise<void> {
  if (more !== undefined) throw usage('--chance needs --ab, or must be alone to change the chance of an existing roll')
  const chance = chanceOf(argument)
  const { out, where } = context
  const client = await context.stage()
  const updates = [{ name, chance }]
  if (isProposal(options)) return onVariable(client, name, () => proposeChange(context, client, { updates }, options))
  const unchangedAt = await unchangedRevision(client, name, { chance }, options)
  if (unchangedAt !== undefined) return sayUnchanged(context, name, unchangedAt, 'that chance')
  const { revision } = await onVariable(client, name, () => client.update(updates))
  if (out.isJson) return out.json({ name, change: 'updated', revision, chance })
  out.note(`${name} in ${where} now has chance ${percentText(chance)} (revision ${revision}).`)
  noteUndo(context, [name], revision)
  await notePaused(context, client, stageOf(context), revision)
}

/** What of a variable changes without its values. */
type Attributes = Pick<VariableUpdate, 'exposure' | 'description'>

/** Returns the attributes that the options state. One that they do not state stays as stored. */
function attributesFrom({ description, visibility, plain }: Options): Attributes {
  if (plain && visibility !== undefined) throw usage('--plain and --visibility cannot be combined')
  const chosen = plain ? 'plain' : visibility
  return { ...(chosen !== undefined && { exposure: chosen }), ...(description !== undefined && { description }) }
}

/** Sets attributes of an existing variable without its values. */
async function setAttributes(
  context: Context,
  name: string,
  attributes: Attributes,
  { more, options }: WithoutValue,
): Promise<void> {
  if (more !== undefined || Object.keys(attributes).length === 0)
    throw usage('--keep-value needs --description or --visibility, and no value, type or chance')
  const { out, where } = context
  const client = await context.stage()
  const updates = [{ name, ...attributes }]
  if (isProposal(options)) return onVariable(client, name, () => proposeChange(context, client, { updates }, options))
  const what = Object.keys(attributes)
    .map((attribute) => aspectText(attribute, out))
    .join(' and ')
  const unchangedAt = await unchangedRevision(client, name, attributes, options)
  if (unchangedAt !== undefined) return sayUnchanged(context, name, unchangedAt, `that ${what}`)
  const { revision } = await onVariable(client, name, () => client.update(updates))
  if (out.isJson) return out.json({ name, change: 'updated', revision, ...attributes })
  out.note(`Changed the ${what} of ${name} in ${where} (revision ${revision}).`)
  noteUndo(context, [name], revision)
}

function sidesOf(ab: readonly string[], chance: string | undefined, value: string | undefined) {
  const [valueA, valueB, ...more] = ab
  if (valueA === undefined || valueB === undefined || more.length > 0 || value !== undefined) {
    throw usage('--ab needs exactly two values and no VALUE')
  }
  if (chance === undefined) throw usage(`An A/B roll needs --chance, such as ${chanceForm}`)
  return { valueA, valueB, chance: chanceOf(chance) }
}
