/** How a command is declared, and how the program is made of all of them. */
import type { Command } from 'commander'
import { Context, type TargetFlags } from './context.ts'
import { exit, usage } from './cli-error.ts'
import { Output, type Streams } from './output.ts'
import { Prompt } from './prompt.ts'

/** Which of the options that say where a command takes. */
type TargetOptions = 'nothing' | 'service' | 'organization' | 'project' | 'stage'

export interface CommandSpec<Options extends object = object> {
  /** Such as `get`, or `token create`. */
  readonly name: string
  /** Such as `<NAME>` or `[FILE]`; for the last, `<NAME...>`. */
  readonly args?: string
  readonly summary: string
  readonly reach: TargetOptions
  /** Flags and what they do. */
  readonly options?: readonly (readonly [flags: string, about: string])[]
  /** Command lines, without `rollkey`, and what each does. */
  readonly examples: readonly (readonly [line: string, about: string])[]
  /** Everything after the arguments belongs to another program. */
  readonly passesThrough?: true
  readonly isHidden?: true
  /** The exit status; nothing is 0. Throws Failure or RollkeyError. */
  run(context: Context, args: readonly string[], options: Options): Promise<number | void>
}

/** Keeps the types of the options together. */
export function command<Options extends object>(spec: CommandSpec<Options>): CommandSpec<Options> {
  return spec
}

/** The process as commands see it. */
export interface CommandEnvironment extends Streams {
  readonly stdin: NodeJS.ReadStream
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

const places: readonly (readonly [keyof TargetFlags, string])[] = [
  ['url', 'address of the service (ROLLKEY_URL)'],
  ['org', 'slug of the organization (ROLLKEY_ORG)'],
  ['project', 'slug of the project (ROLLKEY_PROJECT)'],
  ['stage', 'slug of the stage (ROLLKEY_STAGE)'],
]

const connections: readonly (readonly [flags: string, about: string])[] = [
  ['--config <file>', 'use this file in place of the rollkey.json of the folder, whoever owns it'],
  ['--insecure-http', 'allow plain http to another machine (ROLLKEY_INSECURE_HTTP=1)'],
]

const reaches: Record<TargetOptions, number> = { nothing: 0, service: 1, organization: 2, project: 3, stage: 4 }

const always: readonly (readonly [flags: string, about: string])[] = [
  ['--json', 'JSON to stdout, errors as JSON to stderr'],
  ['--no-input', 'never ask; so it is in CI and in pipes'],
]

function commonOptions({ reach }: CommandSpec): (readonly [flags: string, about: string])[] {
  const wheres = places.slice(0, reaches[reach]).map(([name, about]) => [`--${name} <${name}>`, about] as const)
  return [...wheres, ...(reach === 'nothing' ? [] : connections), ...always]
}

/** Every option of a command, its own first. */
export function optionsOf(spec: CommandSpec): (readonly [flags: string, about: string])[] {
  return [...(spec.options ?? []), ...commonOptions(spec), ['-h, --help', 'this text']]
}

interface CommonOptions extends TargetFlags {
  readonly config?: string
  readonly insecureHttp?: true
  readonly json?: true
  readonly input: boolean
}

function examplesText(spec: CommandSpec): string {
  const width = Math.max(...spec.examples.map(([line]) => line.length))
  const lines = spec.examples.map(([line, about]) => `  $ rollkey ${line.padEnd(width)}  # ${about}`)
  return `\nExamples:\n${lines.join('\n')}`
}

function contextOf(
  spec: CommandSpec,
  { json, input, config, insecureHttp, ...flags }: CommonOptions,
  around: CommandEnvironment,
): Context {
  const { stdin, stderr, env, cwd } = around
  const isAsked = input && !env['CI'] && stdin.isTTY && stderr.isTTY
  return new Context({
    flags,
    config,
    allowHttp: insecureHttp === true || env['ROLLKEY_INSECURE_HTTP'] === '1',
    env,
    cwd,
    stdin,
    out: new Output(around, json === true),
    prompt: new Prompt(isAsked, helpOf(spec.name)),
  })
}

/** The parent of `token create`, made when it is first needed. */
function parentOf(program: Command, groups: Readonly<Record<string, string>>, group: string | undefined): Command {
  if (group === undefined) return program
  const found = program.commands.find((each) => each.name() === group)
  return (
    found ??
    program
      .command(group)
      .summary(groups[group] ?? '')
      .description(groups[group] ?? '')
  )
}

/** Adds a command to the program; running it gives its status to `end`, or its error to `fail`. */
export function addCommand(
  program: Command,
  groups: Readonly<Record<string, string>>,
  spec: CommandSpec,
  around: CommandEnvironment,
  { end, fail }: { end: (status: number) => void; fail: (error: unknown, name: string) => void },
): void {
  const words = spec.name.split(' ')
  const parent = parentOf(program, groups, words.length > 1 ? words[0] : undefined)
  const added = parent
    .command(words.at(-1) ?? '', { hidden: spec.isHidden === true })
    .summary(spec.summary)
    .description(`${spec.summary}.`)
  if (spec.args !== undefined) added.arguments(spec.args)
  for (const [flags, about] of spec.options ?? []) added.option(flags, about)
  added.optionsGroup('Common options:')
  for (const [flags, about] of commonOptions(spec)) added.option(flags, about)
  added
    .helpOption('-h, --help', 'this text')
    .addHelpText('after', examplesText(spec))
    .passThroughOptions(spec.passesThrough === true)
    .action(async () => {
      const options = added.opts<CommonOptions>()
      try {
        end((await spec.run(contextOf(spec, options, around), added.args, options)) ?? exit.ok)
      } catch (error) {
        fail(error, spec.name)
      }
    })
}

/** Commander's own complaints as ours: one line, status 2, and where to look. */
export function usageOf(message: string, name: string): Error {
  const what = message
    .replace(/^error: /, '')
    .trim()
    .replaceAll('\n', ' ')
  return usage(what, helpOf(name))
}

/** The command that explains a command, or the program. */
export function helpOf(name: string): string {
  return ['rollkey', name, '--help'].filter((word) => word !== '').join(' ')
}
