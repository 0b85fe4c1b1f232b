/** Declarations of commands, and how the program is built from them. */
import { nearest, RollkeyError } from '@rollkey/sdk'
import { type Command, Option as CommanderOption } from 'commander'
import { Context, type TargetFlags } from './context.ts'
import { exit, CliError, usage } from './cli-error.ts'
import { eraseAfterRefusal } from '../offline/snapshots.ts'
import { Output, type Streams } from './output.ts'
import { Prompt } from './prompt.ts'

/** Which target options (`--url`, `--org`, …) a command accepts. */
type TargetOptions = 'nothing' | 'service' | 'organization' | 'project' | 'stage'

/** What is offered for completion: names that the service knows, or these words. */
export type Completed = 'variable' | 'stage' | 'project' | 'change' | readonly string[]

/** Flags of an option, their description, and what its value can be: a list is complete, so the command gets nothing else. */
export type Option = readonly [flags: string, about: string, value?: Completed]

export interface CommandSpec<Options extends object = object> {
  /** Name such as `get` or `token create`. */
  readonly name: string
  /** Arguments such as `<NAME>` or `[FILE]`. The last one may be `<NAME...>`. */
  readonly args?: string
  readonly summary: string
  /** What each argument names, for completion. The last one is also that of further arguments. */
  readonly completes?: readonly (Completed | undefined)[]
  readonly target: TargetOptions
  readonly options?: readonly Option[]
  /** Command lines without `rollkey`, and their descriptions. */
  readonly examples: readonly (readonly [line: string, about: string])[]
  /** Command line without `rollkey` that proposes the same write, for a command without `--propose`. */
  readonly proposal?: string
  /** Whether everything after the arguments belongs to another program. */
  readonly passesThrough?: true
  readonly isHidden?: true
  /** Runs the command and returns its exit status, by default 0. Throws CliError or RollkeyError. */
  run(context: Context, args: readonly string[], options: Options): Promise<number | void>
}

/** Declares a command, so that its options have one type. */
export function command<Options extends object>(spec: CommandSpec<Options>): CommandSpec<Options> {
  return spec
}

/** The streams and the environment of the process. */
export interface CommandEnvironment extends Streams {
  readonly stdin: NodeJS.ReadStream
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

const targets: readonly (readonly [name: keyof TargetFlags, about: string, value?: Completed])[] = [
  ['url', 'address of the service (ROLLKEY_URL)'],
  ['org', 'slug of the organization (ROLLKEY_ORG)'],
  ['project', 'slug of the project (ROLLKEY_PROJECT)', 'project'],
  ['stage', 'slug of the stage (ROLLKEY_STAGE)', 'stage'],
]

const connections: readonly Option[] = [
  ['--config <file>', 'use this file instead of the rollkey.json of the folder, regardless of its owner'],
  ['--insecure-http', 'allow plain http to another machine (ROLLKEY_INSECURE_HTTP=1)'],
]

const targetCount: Record<TargetOptions, number> = { nothing: 0, service: 1, organization: 2, project: 3, stage: 4 }

const always: readonly Option[] = [
  ['--json', 'print JSON to stdout and errors as JSON to stderr'],
  ['--no-input', 'never prompt (the default in CI and in pipes)'],
]

function commonOptions({ target }: CommandSpec): Option[] {
  const own = targets.slice(0, targetCount[target]).map(([name, ...rest]): Option => [`--${name} <${name}>`, ...rest])
  return [...own, ...(target === 'nothing' ? [] : connections), ...always]
}

/** Returns all options of a command, its specific ones first. */
export function optionsOf(spec: CommandSpec): Option[] {
  return [...(spec.options ?? []), ...commonOptions(spec), ['-h, --help', 'show this help']]
}

interface CommonOptions extends TargetFlags {
  readonly config?: string
  readonly insecureHttp?: true
  readonly json?: true
  readonly input: boolean
}

/** The width of a help that is not read on a terminal, as commander has it. */
const defaultColumns = 80

/** Returns the description of an example and then its command, on as many lines as they need. Options begin a further line. */
function linesOf([line, about]: CommandSpec['examples'][number], columns: number): string[] {
  const parts = filled(line.split(/ (?=--)/), columns - '  $ rollkey  \\'.length)
  return [
    ...filled(about.split(' '), columns - '  # '.length).map((text) => `  # ${text}`),
    ...parts.map((text, index) => {
      const start = index === 0 ? '  $ rollkey ' : '      '
      return `${start}${text}${index < parts.length - 1 ? ' \\' : ''}`
    }),
  ]
}

/** Joins words to lines of at most `width` characters, where a word is not longer. */
function filled(words: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/** Returns the examples with their descriptions beside them, or above them if one would not fit beside its example. */
function examplesText(examples: CommandSpec['examples']): (help: { readonly command: Command }) => string {
  const width = Math.max(...examples.map(([line]) => line.length))
  const beside = examples.map(([line, about]) => `  $ rollkey ${line.padEnd(width)}  # ${about}`)
  return (help) => {
    const columns = help.command.configureOutput().getOutHelpWidth?.() ?? defaultColumns
    const isNarrow = beside.some(({ length }) => length > columns)
    const lines = isNarrow ? examples.flatMap((example) => linesOf(example, columns)) : beside
    return `\nExamples:\n${lines.join('\n')}`
  }
}

function contextOf(
  spec: CommandSpec,
  { json, input, config, insecureHttp, ...flags }: CommonOptions,
  around: CommandEnvironment,
): Context {
  const { stdin, stderr, env, cwd } = around
  const isPossible = input && !env['CI'] && stdin.isTTY && stderr.isTTY
  return new Context({
    flags,
    config,
    allowHttp: insecureHttp === true || env['ROLLKEY_INSECURE_HTTP'] === '1',
    env,
    cwd,
    stdin,
    out: new Output(around, json === true),
    prompt: new Prompt(isPossible),
  })
}

/** Returns the parent of a command such as `token create`. Creates it when it is first needed. */
function parentOf(program: Command, groups: Readonly<Record<string, string>>, group: string | undefined): Command {
  if (group === undefined) return program
  const found = program.commands.find((each) => each.name() === group)
  return (
    found ??
    program
      .command(group)
      .summary(groups[group] ?? '')
      .description(`${groups[group] ?? ''}.`)
      .helpCommand(false)
  )
}

/** Adds the first example of each command to the help of its group. `starts`: examples of other commands that stand before them. */
export function addGroupExamples(
  program: Command,
  commands: readonly CommandSpec[],
  starts: Readonly<Record<string, CommandSpec['examples']>>,
): void {
  for (const group of program.commands) {
    const within = commands.filter(({ name }) => name.startsWith(`${group.name()} `))
    const firsts = within.flatMap(({ examples }) => examples.slice(0, 1))
    if (within.length > 0) group.addHelpText('after', examplesText([...(starts[group.name()] ?? []), ...firsts]))
  }
}

/** Adds a command to the program. A run passes its status to `end`, or its error to `fail`. */
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
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', examplesText(spec.examples))
    .passThroughOptions(spec.passesThrough === true)
    .action(async () => {
      const options = added.opts<CommonOptions>()
      const context = contextOf(spec, options, around)
      try {
        assertChoices(spec, added)
        end((await spec.run(context, added.args, options)) ?? exit.ok)
      } catch (error) {
        eraseAfterRefusal(context, error)
        fail(proposalFor(error, spec) ?? error, spec.name)
      }
    })
}

/** What someone takes for a word of an option. */
const likeChoice = /^[a-z\d-]{1,20}$/i

const disjunction = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** Throws USAGE for a value of an option that is not one of its words. Quotes it as `usageOf` does, because it can be another value. */
function assertChoices({ options = [] }: CommandSpec, added: Command): void {
  for (const [flags, about, words] of options) {
    if (typeof words !== 'object') continue
    const option = new CommanderOption(flags, about)
    const chosen: unknown = added.getOptionValue(option.attributeName())
    if (typeof chosen !== 'string' || words.includes(chosen)) continue
    const near = choicesLike(chosen, words)
    const isNamed = near.length > 0 ? likeChoice.test(chosen) : isQuotable(chosen) && !takesValue(added)
    const hint = near.length > 0 ? ` (Did you mean ${near.join(', ')}?)` : ''
    throw usage(`${option.long} must be ${disjunction.format(words)}${isNamed ? `, not ${chosen}` : ''}${hint}`)
  }
}

/** Words of options by what others call them. */
const otherChoices: ReadonlyMap<string, string> = new Map([
  ['integer', 'int64'],
  ['long', 'int64'],
  ['number', 'float'],
  ['double', 'float'],
  ['text', 'string'],
  ['env', 'dotenv'],
  ['bash', 'shell'],
])

/** Returns the words of an option that a value may have meant: by another name, by their beginning, or by their letters. */
function choicesLike(value: string, words: readonly string[]): readonly string[] {
  const wanted = value.toLowerCase()
  const other = otherChoices.get(wanted)
  if (other !== undefined && words.includes(other)) return [other]
  const begun = words.filter((word) => wanted !== '' && (word.startsWith(wanted) || wanted.startsWith(word)))
  return begun.length > 0 ? begun : nearest(wanted, words)
}

/** Returns the error of a direct write that the stage does not take now, with the command that proposes it instead. */
function proposalFor(error: unknown, { proposal, options = [] }: CommandSpec): CliError | undefined {
  const isRefused =
    error instanceof RollkeyError && (error.code === 'APPROVAL_REQUIRED' || error.code === 'STAGE_FROZEN')
  const proposes = options.some(([flags]) => flags === '--propose')
  if (!isRefused || (!proposes && proposal === undefined)) return undefined
  const { code, message, requestId } = error
  const advice = proposes ? 'the same command with --propose' : `rollkey ${proposal}`
  return new CliError(code, message, { status: exit.forbidden, requestId, command: advice })
}

/** Commands by what other programs call them. A command can have arguments and options. */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['add', ['set', 'create']],
  ['approvals', ['change']],
  ['auth', ['login']],
  ['chance', ['roll set NAME --chance 50%']],
  ['create', ['set']],
  ['env', ['pull', 'run']],
  ['exec', ['run']],
  ['export', ['pull']],
  ['flag', ['roll']],
  ['flags', ['roll']],
  ['ls', ['list']],
  ['invite', ['open members']],
  ['log', ['history', 'audit']],
  ['logs', ['audit']],
  ['member', ['open members']],
  ['members', ['open members']],
  ['revert', ['restore']],
  ['rm', ['delete']],
  ['percentage', ['roll set NAME --chance 50%']],
  ['remove', ['delete']],
  ['rollback', ['restore']],
  ['secret', ['set', 'list']],
  ['secrets', ['list']],
  ['show', ['get']],
  ['signin', ['login']],
  ['status', ['whoami', 'doctor']],
  ['types', ['typegen']],
  ['undo', ['restore']],
  ['unset', ['delete']],
  ['update', ['set']],
  ['user', ['open members']],
  ['users', ['open members']],
  ['variables', ['list']],
  ['webhook', ['hook']],
])

/** Returns the commands of a group that others call by this word. */
function othersOf(word: string, within: Command, names: readonly string[]): readonly string[] {
  const group = `${nameOf(within)} `
  return (otherNames.get(word) ?? [])
    .map((name) => (name.startsWith(group) ? name.slice(group.length) : name))
    .filter((name) => names.includes(name.split(' ', 1)[0] ?? ''))
}

/** What a command does in place of an option that another command has. */
const otherOptions: ReadonlyMap<string, string> = new Map([
  ['import --overwrite', 'import replaces what differs, after it has shown it; --dry-run only shows it'],
  ['login --yes', '--no-browser answers what it asks'],
])

/** Returns what a command does in place of an option that another command has. */
function insteadOf(option: string, within: Command, names: readonly string[]): string | undefined {
  const instead = otherOptions.get(`${within.name()} ${option}`)
  if (instead !== undefined) return instead
  const isAnswer = (option === '--yes' || option === '-y') && within.parent !== null
  if (isAnswer && names.includes('--create')) return '--create answers what it asks'
  return isAnswer ? `${within.name()} asks for no confirmation: leave it out` : undefined
}

/** Maximum number of groups that a word leads to. More of them, as for `list`, would say nothing. */
const maxGroups = 3

/** Returns commands by their second word, such as `roll explain` for `explain`. */
function secondWords(word: string, within: Command): string[] {
  const found = within.commands.filter((group) => group.commands.some((each) => each.name() === word))
  return found.length > maxGroups ? [] : found.map((group) => `${group.name()} ${word}`)
}

/** A word that someone takes for a command. */
const plainWord = /^[a-z]{1,12}(?:-[a-z]{1,12})?$/

/** The name of a variable, as most are written. */
const plainName = /^[A-Z]{1,12}(?:_[A-Z0-9]{1,20}){0,6}$/

/** Returns the command of a group that takes a word which is none of its commands, such as `roll show NEW_CHECKOUT`. */
function takerOf(word: string, group: Command): string | undefined {
  if (!group.parent) return undefined
  const taking = ['show', 'list', 'set']
    .map((verb) => group.commands.find((each) => each.name() === verb))
    .find((each) => each?.registeredArguments[0] && !each.registeredArguments[1]?.required)
  return taking && `${group.name()} ${taking.name()} ${isQuotable(word) ? word : taking.registeredArguments[0]?.name()}`
}

/** Returns whether a word of the command can be the value of a variable. */
function takesValue(within: Command): boolean {
  return within.registeredArguments.some((argument) => argument.name() === 'VALUE')
}

function isQuotable(word: string): boolean {
  return plainWord.test(word) || plainName.test(word)
}

/** An option that someone takes for one of a command. */
const plainOption = /^(?:--[a-z][a-z-]{0,30}|-[a-z])$/

/**
 * Turns an error of commander into a usage error: one line and status 2. It quotes a word only if that is close to what
 * is known, or looks like a command or a name, because others can be values, such as a password that begins with a hyphen.
 */
export function usageOf(message: string, within: Command): Error {
  const what = message.replace(/^error: /, '').trim()
  const [, kind, given = ''] = /^unknown (option|command) '(.*)'$/s.exec(what) ?? []
  if (kind === undefined) return usage(what.replaceAll('\n', ' '))
  const word = kind === 'option' ? (given.split('=', 1)[0] ?? '') : given
  const help = within.createHelp()
  const names =
    kind === 'option'
      ? help.visibleOptions(within).map(({ long }) => long ?? '')
      : help.visibleCommands(within).map((each) => each.name())
  const others = othersOf(word, within, names)
  const near = [...others, ...(others.length === 0 ? secondWords(word, within) : []), ...nearest(word, names)]
  if (near.length > 0) {
    const [only = '', ...more] = near
    const isCommand = kind === 'command' && more.length === 0
    return usage(
      `unknown ${kind} '${word}' (Did you mean ${near.join(', ')}?)`,
      isCommand ? helpOf(`${nameOf(within)} ${only.replace(/ [A-Z].*/, '')}`.trim()) : undefined,
    )
  }
  const other = insteadOf(word, within, names)
  if (other !== undefined) return usage(`unknown ${kind} '${word}' (${other})`)
  const isPlain = !takesValue(within) && (kind === 'option' ? plainOption.test(word) : isQuotable(word))
  const unknown = `unknown ${kind}${isPlain ? ` '${word}'` : ''}`
  const taker = kind === 'command' ? takerOf(word, within) : undefined
  if (taker !== undefined) return usage(`${unknown} (Did you mean "rollkey ${taker}"?)`)
  if (kind === 'command') return usage(unknown)
  if (within.parent) return usage(`${unknown}; a value that begins with - follows --`)
  return usage(`${unknown} before the command (expected the options of a command after its name)`)
}

/** Returns the arguments up to a command that does not exist, which help would otherwise hide. */
export function upToUnknown(program: Command, argv: readonly string[]): readonly string[] {
  let reached = program
  for (const [index, word] of argv.entries()) {
    if (word.startsWith('-') || reached.commands.length === 0) return argv
    const next = reached.commands.find((each) => each.name() === word)
    if (!next) return argv.slice(0, index + 1)
    reached = next
  }
  return argv
}

/** Returns the command that shows the help of a command, or of the program. */
export function helpOf(name: string): string {
  return ['rollkey', name, '--help'].filter((word) => word !== '').join(' ')
}

/** Returns a name such as `token create`, or an empty text for the program itself. */
export function nameOf(within: Command): string {
  return within.parent ? `${nameOf(within.parent)} ${within.name()}`.trim() : ''
}
