/** The commands `override …`. */
import { RollkeyError, type Client } from '@rollkey/sdk'
import { isEnvironmentName, joinNames, refuse } from '../formats/refuse.ts'
import { exit, CliError, usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { anyNameCommand, nameRule } from '../frame/creation.ts'
import { connectTo } from '../frame/scope.ts'
import { templatesOf } from '../frame/templates.ts'
import { valueOf, valueOptions, type ValueOptions } from '../frame/value-input.ts'
import { isProtectedStage } from '../offline/protection.ts'
import { Overrides } from '../overrides/overrides.ts'

interface SetOptions extends ValueOptions {
  readonly anyName?: true
}

const overrideSet = command<SetOptions>({
  name: 'override set',
  args: '<NAME> [VALUE]',
  summary: 'Use another value on this machine, for run, pull and render',
  completes: ['variable', undefined],
  target: 'stage',
  options: [...valueOptions, ['--any-name', 'allow names with characters other than letters, digits and _']],
  examples: [
    ['override set DATABASE_URL', 'asks for the value without echo; it is never sent'],
    ['override set LOG_LEVEL debug', 'from the command line'],
  ],
  async run(context, [name = '', text], options) {
    const { out, where } = context
    if (!options.anyName)
      refuse('INVALID_NAME', isEnvironmentName(name) ? [] : [name], `${nameRule}; invalid`, anyNameCommand)
    const client = await expectUnprotected(context)
    const value = await valueOf(context, name, text, options)
    const values = await new Overrides(context).change((before) => ({ ...before, [name]: value }))
    const count = Object.keys(values).length
    const templates = await templatesBeyond(client, name)
    if (out.isJson) {
      out.json({ name, overridden: count, ...(templates.length > 0 && { templates }) })
      return
    }
    const missed = templates.length > 0 ? ` These templates keep the value of the stage: ${joinNames(templates)}.` : ''
    out.note(`${name} of ${where} is overridden on this machine: ${count} overridden here.${missed}`)
  },
})

/** Returns the templates that an override of one of their sources does not change: the service replaced that. Returns none offline. */
async function templatesBeyond(client: Client, name: string): Promise<readonly string[]> {
  try {
    return templatesOf([name], (await client.list()).variables)
  } catch (error) {
    if (error instanceof RollkeyError) return []
    throw error
  }
}

/** Returns the client of a stage. Throws USAGE in CI, FORBIDDEN for a protected stage, and STAGE_NOT_FOUND. */
async function expectUnprotected(context: Context): Promise<Client> {
  const { env, settings, where } = context
  if (env['CI']) throw usage('Overrides do not work in CI: set a variable of the job, or of another stage')
  const client = await context.stage()
  const isProtected = await isProtectedStage(client, context)
  if (isProtected === undefined)
    await connectTo(context, { projectSlug: settings.project?.value ?? '', stageSlug: settings.stage?.value ?? '' })
  if (isProtected !== false) {
    throw new CliError('FORBIDDEN', `The stage ${where} is protected and takes no overrides; override another stage`, {
      status: exit.forbidden,
      command: 'rollkey stage list',
    })
  }
  return client
}

const overrideList = command({
  name: 'override list',
  summary: 'List the names that have another value on this machine',
  target: 'stage',
  examples: [['override list', 'never shows a value']],
  async run(context) {
    const { out } = context
    const names = Object.keys(await new Overrides(context).load())
    if (out.isJson) out.json({ overrides: names })
    else if (names.length > 0 || !out.isTerminal)
      out.table(
        ['name'],
        names.map((name) => [name]),
      )
    else out.note(`Nothing is overridden in ${context.where} on this machine.`)
  },
})

interface UnsetOptions {
  readonly all?: true
}

const overrideUnset = command<UnsetOptions>({
  name: 'override unset',
  args: '[NAME...]',
  summary: 'Use the values of the stage again',
  target: 'stage',
  options: [['--all', 'all of the stage']],
  examples: [
    ['override unset LOG_LEVEL', 'for this name'],
    ['override unset --all', 'for all names of the stage'],
  ],
  async run(context, names, { all }) {
    const { out, where } = context
    if ((names.length === 0) !== (all === true)) throw usage('Names to unset are missing (expected NAME… or --all)')
    const overrides = new Overrides(context)
    if (all) await overrides.clear()
    else {
      await overrides.change((before) => {
        const missing = names.filter((name) => !Object.hasOwn(before, name))
        if (missing.length === 0)
          return Object.fromEntries(Object.entries(before).filter(([name]) => !names.includes(name)))
        throw new CliError('NOT_FOUND', `Not overridden in ${where} on this machine: ${joinNames(missing)}`, {
          status: exit.notFound,
          command: 'rollkey override list',
        })
      })
    }
    if (out.isJson) out.json({ unset: all ? 'all' : names })
    else
      out.note(
        all ? `Nothing is overridden in ${where} any more.` : `No longer overridden in ${where}: ${joinNames(names)}.`,
      )
  },
})

export const overrideCommands = [overrideSet, overrideList, overrideUnset]
