import { Command } from 'commander'
import { commands, groups, groupStarts, sections } from './commands/index.ts'
import {
  addCommand,
  addGroupExamples,
  helpOf,
  nameOf,
  upToUnknown,
  usageOf,
  type CommandEnvironment,
} from './frame/command.ts'
import { exit, failureOf } from './frame/cli-error.ts'
import { stylesFor } from './frame/output.ts'
import { printable, printableLine } from './frame/printable.ts'

/** What each exit status means, as the end of the help. */
export const statuses = `
Exit status:
  0 success           4 forbidden               8 service unreachable
  1 other error       5 not found
  2 invalid usage     6 invalid or conflict     diff: 1 different, 2+: error
  3 login needed      7 plan limit exceeded     run: the status of the command

Values are hidden on a terminal unless you add --reveal.
Data goes to stdout, everything else to stderr.`

/** What a newcomer runs, in this order. */
const firstCommands = `Start here:
  rollkey login --url URL         log in to the service, in the browser
  rollkey init                    choose the project and stage of this folder
  rollkey set API_KEY --create    store a secret; asks for its value
  rollkey run -- COMMAND          run a program with the secrets of the stage
  rollkey help COMMAND            what a command does, with examples
  rollkey open docs               the guides`

/** Runs the command line of a version and returns its exit status. Never throws. */
export async function runProgram(
  argv: readonly string[],
  version: string,
  around: CommandEnvironment,
): Promise<number> {
  let status: number = exit.ok
  const args = asMeant(argv)
  const program = new Command('rollkey')
    .description(`Secrets and feature variables for your team.\n\n${firstCommands}`)
    .version(version, '--version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .enablePositionalOptions()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', statuses)
  const end = (ended: number): void => void (status = ended)
  const fail = (error: unknown, command: string): void => {
    const failure = failureOf(error, helpOf(command), around.env)
    const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
    const { code, line } = failure
    const styled = stylesFor(around.stderr, around.env)(['bold', 'red'], printableLine(code))
    const text = own.includes('--json')
      ? printable(JSON.stringify(failure))
      : `${styled}${printableLine(line.slice(code.length))}`
    around.stderr.write(`${text}\n`)
    status = failure.status
  }
  for (const [title, specs] of Object.entries(sections)) {
    program.commandsGroup(`${title}:`)
    for (const spec of specs) addCommand(program, groups, spec, around, { end, fail })
  }
  addGroupExamples(program, commands, groupStarts)
  // Redirects the output, errors and exits of commander for every command.
  for (const each of withDescendants(program)) {
    each.exitOverride().configureOutput({
      writeOut: (text) => around.stdout.write(text),
      outputError: (text) => fail(usageOf(text, each), nameOf(each)),
    })
    each.showSuggestionAfterError(false)
  }
  try {
    if (args.length === 0) program.outputHelp()
    else await program.parseAsync(upToUnknown(program, args), { from: 'user' })
  } catch (error) {
    // Commander has reported its errors by outputError already. --help and --version need no report.
    if (!isCommanders(error)) fail(error, '')
  }
  return status
}

/** Returns the arguments that are meant. As in git, `help set` is `set --help`. `version` and `-v` are `--version`. */
function asMeant(argv: readonly string[]): readonly string[] {
  const [first, ...others] = argv
  if (first === 'help') return [...others, '--help']
  return first === 'version' || first === '-v' ? ['--version', ...others] : argv
}

function isCommanders(error: unknown): boolean {
  return error instanceof Error && 'exitCode' in error
}

function withDescendants(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withDescendants)]
}
