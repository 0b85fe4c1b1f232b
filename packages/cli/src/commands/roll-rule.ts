import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { problemOfRules, type TargetingRule } from '@rollkey/contract/rules'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { exit, CliError, usage } from '../frame/cli-error.ts'
import { proposalOptions, type ProposalOptions } from '../frame/proposal.ts'
import { changeRoll } from '../frame/roll.ts'
import { decodeUtf8 } from '../frame/utf8.ts'

interface Options extends ProposalOptions {
  readonly clear?: true
}

const help = 'rollkey roll rule --help'

export const rollRule = command<Options>({
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
  proposal: 'roll rule NAME FILE --propose',
  async run(context, [name = '', file], { clear, ...options }) {
    if (clear ? file !== undefined : file === undefined) throw usage('Pass a file with rules, - for stdin, or --clear')
    if (file === undefined)
      return changeRoll(context, name, { rules: null }, { what: `Removed all rules of ${name}`, options })
    const rules = await rulesIn(context, file)
    const count = `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}`
    await changeRoll(context, name, { rules }, { what: `Set ${count} of ${name}`, options })
  },
})

/** Reads the rules. Throws NOT_READ or INVALID_REQUEST. */
async function rulesIn({ cwd, stdin }: Context, file: string): Promise<TargetingRule[]> {
  const name = file === '-' ? 'stdin' : file
  const bytes = file === '-' ? await buffer(stdin) : await readBytes(path.resolve(cwd, file), file)
  const json = decodeUtf8(bytes, name, 'INVALID_REQUEST', help)
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
  throw new CliError('INVALID_REQUEST', `${name}${where && ` at ${where}`} ${problem.message}`, {
    status: exit.invalid,
    command: help,
  })
}

async function readBytes(absolute: string, file: string): Promise<Buffer> {
  try {
    return await readFile(absolute)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CliError('NOT_READ', `${file} cannot be read (${code})`, { command: help })
  }
}
