import type { Client } from '@rollkey/sdk'
import { compare, type Row } from '../diff/compare.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { exit, CliError, failureOf } from '../frame/cli-error.ts'
import type { Cell } from '../frame/output.ts'
import { parseStage, type StageArgument } from '../frame/stage-argument.ts'
import { aspectText, countText } from '../frame/words.ts'

interface Options {
  readonly all?: true
}

const different = 1

export const diff = command<Options>({
  name: 'diff',
  args: '<STAGE> <STAGE>',
  summary: 'Compare two stages without showing values; exits with 1 if they differ',
  completes: ['stage', 'stage', undefined],
  target: 'project',
  options: [['--all', 'also show variables that are the same']],
  examples: [
    ['diff dev prod', 'which names, values, types and attributes differ'],
    ['diff shop/prod blog/prod --json', 'stages of two projects, for a script'],
  ],
  async run(context, names, { all }) {
    const [left, right] = names.map((name) => parseStage(context, name)) as [StageArgument, StageArgument]
    const rows = await compareStages(context, left, right)
    const isSame = rows.every(({ state }) => state === 'same')
    if (context.out.isJson) context.out.json({ left, right, variables: rows })
    else print(context, rows, names, all === true)
    return isSame ? exit.ok : different
  },
})

async function compareStages(context: Context, left: StageArgument, right: StageArgument): Promise<Row[]> {
  try {
    const client: Client = await context.service()
    const [a, b] = await Promise.all([client.at(left).digests(), client.at(right).digests()])
    return compare(a, b)
  } catch (error) {
    const { code, message, status, command: triedCommand, requestId } = failureOf(error, 'rollkey diff --help')
    // Status 1 means a difference and nothing else.
    throw new CliError(code, message, {
      status: status === exit.error ? exit.usage : status,
      command: triedCommand,
      requestId,
    })
  }
}

function print({ out }: Context, rows: readonly Row[], [left, right]: readonly string[], all: boolean): void {
  const states: Record<Row['state'], Cell> = {
    'only-in-left': { text: `only in ${left}`, style: 'red' },
    'only-in-right': { text: `only in ${right}`, style: 'green' },
    different: { text: 'different', style: 'yellow' },
    hidden: { text: 'hidden', style: 'dim' },
    same: 'same',
  }
  const shown = rows.filter(({ state }) => all || state !== 'same')
  if (shown.length > 0) {
    const stages = { left, right }
    const lines = shown.map(({ name, state, differs = [], unopened = [] }) => [
      name,
      states[state],
      [
        ...differs.map((aspect) => aspectText(aspect, out)),
        ...unopened.map((side) => `cannot be opened in ${stages[side]}`),
      ].join(', '),
    ])
    out.table(['name', 'state', 'differs in'], lines)
  }
  if (rows.some(({ state }) => state === 'hidden'))
    out.note('You cannot read the values of both stages, so "hidden" variables may differ.')
  const same = rows.filter(({ state }) => state === 'same').length
  out.note(`${same} of ${countText(rows.length)} ${same === 1 ? 'is' : 'are'} the same in ${left} and ${right}.`)
}
