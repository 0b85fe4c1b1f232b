/** The program of the operator: its tree of commands, help, output and exit status. */
import path from 'node:path'
import { Argument, Command, CommanderError, Option } from 'commander'
import type { Progress } from '../base/progress.ts'
import { shippedVersion } from '../base/shipped-files.ts'
import { WrongSetting } from '../config.ts'
import { KmsUnavailable } from '../base/api-error.ts'
import { closest } from '../base/closest.ts'
import { CommandError, exit, program as programName, usage } from './command-error.ts'
import { LiveReport, Report, type OperatorCommand } from './command.ts'
import { commands, groups, sections } from './commands.ts'
import { ProgressBar } from './progress-bar.ts'
import { summaryOf } from './summary.ts'

interface ProgramEnvironment {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Runs a command with its arguments and options by name. */
  readonly run: (command: OperatorCommand, input: object, progress: Progress) => Promise<unknown>
}

/** Runs a command and prints its result. */
type RunSpec = (spec: OperatorCommand, input: object, isJson: boolean) => Promise<void>

const description = `Secrets and feature variables for your team: the service and its operator.

Without a command, the service starts; with --demo alone, it starts with an
example organization in memory. Settings come from the environment
(docs/settings.md). A command works with or without a running service. It
prints text on a terminal, and JSON with --json and everywhere else.`

/** What each exit status means, as the end of the help. */
export const statuses = `
Exit status:
  0 success                             5 not found
  1 other error, or a check failed      6 invalid file or conflict
  2 invalid usage or setting            8 store, KMS or service unreachable`

/** Returns whether a value is a path. It becomes absolute, because the service has another working directory. */
function isFile(name: string): boolean {
  return /<file>/i.test(name)
}

function argumentOf([name, about]: readonly [string, string], { pipesFile }: OperatorCommand): Argument {
  const argument = new Argument(name, about)
  const absolute = (value: string): string => (pipesFile === true && value === '-' ? value : path.resolve(value))
  return isFile(name) ? argument.argParser(absolute) : argument
}

function optionOf([flags, about]: readonly [string, string]): Option {
  const option = new Option(flags, about)
  return isFile(flags) ? option.argParser((value) => path.resolve(value)) : option
}

function examplesText({ examples }: OperatorCommand): string {
  const lines = examples.map(([line, about]) => `  # ${about}\n  $ ${programName} ${line}`)
  return `\nExamples:\n${lines.join('\n')}`
}

/** Returns the arguments and options of a command by name, and whether the output is JSON. */
function inputOf(command: Command): { input: object; isJson: boolean } {
  const args = command.registeredArguments.map((argument, index) => [
    argument.name().toLowerCase(),
    command.processedArgs[index] as string | undefined,
  ])
  const { json, ...options } = command.opts<{ json?: true }>()
  return { input: { ...Object.fromEntries(args), ...options }, isJson: json === true }
}

/** Returns a command with help on every level. Options belong to the command that they follow. */
function withHelp(command: Command): Command {
  return command.helpOption('-h, --help', 'show this help').helpCommand(false).enablePositionalOptions()
}

/** Throws USAGE for a missing option. Commander would report it before an option that is misspelled. */
function assertRequired(command: Command, { name, required = [] }: OperatorCommand): void {
  const missing = required.find(([flags]) => command.getOptionValue(new Option(flags).attributeName()) === undefined)
  if (missing) throw usage(`missing required option '${missing[0]}'`, name)
}

function addCommand(parent: Command, spec: OperatorCommand, run: RunSpec): void {
  const added = withHelp(parent.command(spec.name.split(' ').at(-1) ?? ''))
    .summary(spec.summary)
    .description(`${spec.summary}.`)
  for (const row of spec.args ?? []) added.addArgument(argumentOf(row, spec))
  for (const row of spec.required ?? []) added.addOption(optionOf([row[0], `${row[1]} (required)`]))
  for (const row of spec.options ?? []) added.addOption(optionOf(row))
  added
    .option('--json', 'print JSON to stdout and errors as JSON to stderr')
    .addHelpText('after', examplesText(spec))
    .action(() => {
      assertRequired(added, spec)
      const { input, isJson } = inputOf(added)
      return run(spec, input, isJson)
    })
}

/** Returns the name of a command such as `token create`, or an empty text for the program itself. */
function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}`.trim() : ''
}

function addGroup(root: Command, name: string): Command {
  const summary = groups[name] ?? ''
  return withHelp(root.command(name)).summary(summary).description(`${summary}.`)
}

/** Returns the tree of all commands. Its `parseAsync` throws CommandError, and CommanderError after it has written a help. */
export function commandTree(run: RunSpec, writeOut: (text: string) => void): Command {
  const root = withHelp(new Command(programName))
    .description(description)
    .version(shippedVersion(), '--version', 'show the version')
    .addHelpText('after', statuses)
  for (const [heading, specs] of sections) {
    root.commandsGroup(`${heading}:`)
    for (const spec of specs) {
      const [first = '', second] = spec.name.split(' ')
      const found = root.commands.find((each) => each.name() === first)
      const parent = second === undefined ? root : (found ?? addGroup(root, first))
      addCommand(parent, spec, run)
    }
  }
  for (const each of withDescendants(root)) {
    each.configureOutput({ writeOut, writeErr: () => {} }).exitOverride((error) => {
      throw error.exitCode === 0 ? error : usageError(error, each)
    })
  }
  return root
}

function withDescendants(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withDescendants)]
}

function joinWithOr(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]+)$/, ' or $1')
}

/** Returns the error for a word that is not a command here, with the commands that it may mean, and their argument. */
function unknownCommand(command: Command, suggestions: readonly string[], argument = ''): CommandError {
  const hint = suggestions.length > 0 ? ` (did you mean ${`${joinWithOr(suggestions)} ${argument}`.trim()}?)` : ''
  return usage(`unknown command '${command.args[0]}'${hint}`, suggestions[0] ?? nameOf(command))
}

/** Returns the commands that the arguments of a command may mean. */
function suggestionsFor(command: Command): string[] {
  const [word = '', next = ''] = command.args
  const typed = [word, `${word} ${next}`].map((words) => `${nameOf(command)} ${words}`.trim())
  const names = commands.map(({ name }) => name)
  return closest(typed, [...names, ...Object.keys(groups)])
}

/** The command of a group that takes a word which is none of its commands. */
const takers: Readonly<Record<string, string>> = {
  audit: 'verify-file',
  backup: 'create',
  'second-factor': 'remove',
  token: 'create',
}

/** Returns the command that takes a word which is not a command here: `backup a.age` means `backup create a.age`. */
function takerOf(command: Command): string | undefined {
  const [word = ''] = command.args
  const taker = commands.find(({ name }) => name === `${nameOf(command)} ${takers[nameOf(command)]}`)
  const names = command.commands.map((each) => each.name())
  const isOther = closest([word], names).length > 0 || (isFile(taker?.args?.[0]?.[0] ?? '') && !/[./]/.test(word))
  return isOther ? undefined : taker?.name
}

/** Turns an error of commander into one in the form of this program. */
function usageError({ code, message }: CommanderError, command: Command): CommandError {
  const suggestions = suggestionsFor(command)
  const isUnknown =
    code === 'commander.unknownCommand' ||
    (code === 'commander.excessArguments' && command.commands.length > 0 && suggestions.length > 0)
  const taker = code === 'commander.unknownCommand' ? takerOf(command) : undefined
  if (taker !== undefined) return unknownCommand(command, [taker], command.args[0])
  if (isUnknown) return unknownCommand(command, suggestions)
  const text =
    code === 'commander.help'
      ? `missing command (expected ${joinWithOr(command.commands.map((each) => each.name()))})`
      : message.replace(/^error: /, '').replaceAll('\n', ' ')
  return usage(text, nameOf(command))
}

/** Returns the error that the operator sees. */
function commandErrorOf(error: unknown): CommandError {
  if (error instanceof CommandError) return error
  if (error instanceof WrongSetting) return new CommandError('INVALID_SETTING', error.message)
  if (error instanceof KmsUnavailable) return new CommandError('UNAVAILABLE', error.message)
  return new CommandError('ERROR', error instanceof Error ? error.message : 'The command failed.')
}

/** Prints the text of a report as it appears, and returns the report. */
async function follow({ parts }: LiveReport, show: (text: string) => unknown): Promise<Report> {
  for (;;) {
    const { done, value } = await parts.next()
    if (done) return new Report(value, '')
    show(value)
  }
}

/** Prints nothing for undefined, a text as is, and anything else as text to a terminal or as JSON. Returns the exit status. */
function print(answer: unknown, isJson: boolean, stdout: NodeJS.WriteStream): number {
  if (answer === undefined) return exit.ok
  const result = answer instanceof Report ? answer.json : answer
  stdout.write(isJson ? jsonOf(result) : shownText(answer, result, stdout))
  return (result as { good?: boolean }).good === false ? exit.error : exit.ok
}

function shownText(answer: unknown, result: unknown, { isTTY, columns }: NodeJS.WriteStream): string {
  if (typeof result === 'string') return result
  if (!isTTY) return jsonOf(result)
  return answer instanceof Report ? answer.text : summaryOf(result, columns)
}

function jsonOf(result: unknown): string {
  return `${JSON.stringify(result, null, 2)}\n`
}

/** Runs the program with its arguments and returns its exit status. Never throws. */
export async function runProgram(
  argv: readonly string[],
  { stdout, stderr, run }: ProgramEnvironment,
): Promise<number> {
  let status: number = exit.ok
  const root = commandTree(
    async (spec, input, isJson) => {
      const bar = new ProgressBar(stderr)
      const answer = await run(spec, input, bar.update).finally(() => bar.clear())
      const show = (text: string): unknown => stdout.isTTY && !isJson && stdout.write(text)
      status = print(answer instanceof LiveReport ? await follow(answer, show) : answer, isJson, stdout)
    },
    (text) => stdout.write(text),
  )
  try {
    if (argv.length === 0) root.outputHelp()
    else await root.parseAsync(argv, { from: 'user' })
  } catch (error) {
    // --help and --version end like this, too.
    if (error instanceof CommanderError) return exit.ok
    const failure = commandErrorOf(error)
    stderr.write(`${argv.includes('--json') ? JSON.stringify({ error: failure }) : failure.line}\n`)
    return failure.status
  }
  return status
}
