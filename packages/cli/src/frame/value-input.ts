/** The value of `set` and `override set`: an argument, the prompt or stdin. */
import { buffer } from 'node:stream/consumers'
import { exit, CliError, usage } from './cli-error.ts'
import type { Option } from './command.ts'
import type { Context } from './context.ts'

export interface ValueOptions {
  readonly verbatim?: true
  readonly allowEmpty?: true
}

export const valueOptions: readonly Option[] = [
  ['--verbatim', 'keep the final line break of a value from stdin'],
  ['--allow-empty', 'store an empty value'],
]

/** Returns the value of an argument or, without one, of the prompt or stdin. Throws USAGE, EMPTY_VALUE or INVALID_REQUEST. */
export async function valueOf(
  context: Context,
  name: string,
  text: string | undefined,
  options: ValueOptions,
): Promise<string> {
  const value = text ?? (await answerOf(context, name, options))
  if (value !== '' || options.allowEmpty) return value
  // An empty value often means that the program before the pipe failed, or that a variable of the shell is not set.
  throw new CliError('EMPTY_VALUE', 'The value is empty, so nothing was written; --allow-empty stores it', {
    status: exit.invalid,
  })
}

async function answerOf(context: Context, name: string, { verbatim }: ValueOptions): Promise<string> {
  if (context.prompt.isPossible) return context.prompt.secret(`Value of ${name}`, '')
  if (context.stdin.isTTY) throw usage('The value is missing: pass it as an argument or by stdin')
  const text = utf8(await buffer(context.stdin))
  if (text.startsWith('\ufeff'))
    context.out.note(
      `The value of ${name} begins with a byte order mark, which is kept. Write it without one if it is a mistake.`,
    )
  // The line break of `echo` is rarely intended, and that of a file rarely matters.
  const last = /\r?\n$/.exec(text)?.[0] ?? ''
  if (verbatim || last === '') return text
  context.out.note('Removed the line break at the end. Add --verbatim to keep it.')
  return text.slice(0, -last.length)
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CliError('INVALID_REQUEST', 'The value is not UTF-8 text; encode it first, for example with base64', {
      status: exit.invalid,
    })
  }
}
