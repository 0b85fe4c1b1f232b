import { buffer } from 'node:stream/consumers'
import type { DeclaredType, WriteEntry } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { exit, Failure, usage } from '../frame/failure.ts'

interface Options {
  readonly ab?: readonly string[]
  readonly chance?: string
  readonly type?: string
  readonly verbatim?: true
}

const help = 'rollkey set --help'

export const set = command<Options>({
  name: 'set',
  args: '<NAME> [VALUE]',
  summary: 'Create or change one variable',
  reach: 'stage',
  options: [
    ['--ab <values...>', 'an A/B roll of these two values'],
    ['--chance <chance>', 'of the first value, 0 to 1'],
    ['--type <type>', 'string, boolean, int64, float, date or json; without it, the type stays'],
    ['--verbatim', 'keep the last line break of a value from stdin'],
  ],
  examples: [
    ['set API_KEY', 'asks for the value, without echo'],
    ['set API_KEY < key.pem', 'from a file; so that it is in no list of processes and no history'],
    ['set LIMIT 25 --type int64', 'from the command line'],
    ['set NEW_CHECKOUT --ab on off --chance 0.2', 'on for one of five users'],
    ['set NEW_CHECKOUT --chance 0.5', 'now for one of two, and nobody loses it'],
  ],
  async run(context, [name = '', value], { ab, chance, type, verbatim }) {
    const { out, where } = context
    if (ab === undefined && chance !== undefined) return setChance(context, name, chance, value ?? type)
    const declaredType = type as DeclaredType | undefined
    const entry: WriteEntry =
      ab === undefined
        ? { kind: 'secret', name, value: await valueOf(context, name, value, verbatim), declaredType }
        : { kind: 'ab_roll', name, ...sidesOf(ab, chance, value), declaredType }
    const { created, revision } = await (await context.stage()).write({ entries: [entry] })
    const change = created.includes(name) ? 'created' : 'updated'
    if (out.isJson) out.json({ name, change, revision, bytes: bytesOf(entry) })
    else out.note(`${name} ${change} in ${where}: ${sizeText(bytesOf(entry))} (revision ${revision}).`)
  },
})

function bytesOf(entry: WriteEntry): number[] {
  const values = entry.kind === 'secret' ? [entry.value] : [entry.valueA, entry.valueB]
  return values.map((each) => Buffer.byteLength(each))
}

function sizeText(sizes: readonly number[]): string {
  return `${sizes.join(' and ')} ${sizes.at(-1) === 1 ? 'byte' : 'bytes'}`
}

/** Of a roll that is there: nobody needs its values for that. */
async function setChance(context: Context, name: string, given: string, more: string | undefined): Promise<void> {
  if (more !== undefined) throw usage('--chance goes with --ab, or alone, to change the chance of a roll', help)
  const chance = chanceOf(given)
  const { out, where } = context
  const { revision } = await (await context.stage()).setChance(name, chance)
  if (out.isJson) out.json({ name, change: 'updated', revision, chance })
  else out.note(`${name} in ${where} has chance ${chance} (revision ${revision}).`)
}

function chanceOf(text: string): number {
  const number = text.trim() === '' ? NaN : Number(text)
  if (!(number >= 0 && number <= 1)) throw usage('--chance must be a number from 0 to 1', help)
  return number
}

function sidesOf(ab: readonly string[], chance: string | undefined, value: string | undefined) {
  const [valueA, valueB, ...more] = ab
  if (valueA === undefined || valueB === undefined || more.length > 0 || value !== undefined) {
    throw usage('--ab takes two values, and there is no other', help)
  }
  if (chance === undefined) throw usage('An A/B roll needs --chance, from 0 to 1', help)
  return { valueA, valueB, chance: chanceOf(chance) }
}

async function valueOf(
  context: Context,
  name: string,
  given: string | undefined,
  verbatim: true | undefined,
): Promise<string> {
  if (given !== undefined) return given
  if (context.prompt.isPossible) return context.prompt.secret(`Value of ${name}`, '')
  if (context.stdin.isTTY) throw usage('There is no value: give it as an argument or by stdin', help)
  const text = utf8(await buffer(context.stdin))
  // What `echo` adds is rarely meant; what a file ends with rarely matters.
  const last = /\r?\n$/.exec(text)?.[0] ?? ''
  if (verbatim || last === '') return text
  context.out.note('The line break at the end was left out; --verbatim keeps it.')
  return text.slice(0, -last.length)
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure('INVALID_REQUEST', 'The value is not UTF-8 text; encode it first, such as with base64', {
      status: exit.invalid,
      command: help,
    })
  }
}
