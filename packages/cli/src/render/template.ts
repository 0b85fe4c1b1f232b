/** Fills in the `{{ NAME }}` of a text. `{{{{` stands for `{{`. Values are inserted as they are, and not read again. */
import { nearest } from '@rollkey/sdk'
import type { Variables } from '../formats/refuse.ts'
import { exit, CliError } from '../frame/cli-error.ts'

/** An escaped `{{`, a name, or a `{{` that is neither. Of several braces, the last two begin a name. */
const part = /\{\{\{\{|\{\{[ \t]*([^{}\r\n]*?)[ \t]*\}\}|\{\{(?!\{)/g

/** Where a text is from, for errors. */
interface Origin {
  /** Its file, as the user named it. */
  readonly file: string
  /** The stage, such as `shop/dev`. */
  readonly where: string
}

/** Returns the text with values. Throws INVALID_TEMPLATE, or VARIABLE_NOT_FOUND with all names that the stage does not have. */
export function fillTemplate(text: string, variables: Variables, { file, where }: Origin): string {
  const unknown = new Map<string, number>()
  const filled = text.replaceAll(part, (found: string, name: string | undefined, at: number) => {
    if (found === '{{{{') return '{{'
    if (!name) {
      const what = `${file}, line ${lineAt(text, at)}: Expected {{ NAME }} on one line; write {{{{ where {{ is meant`
      throw new CliError('INVALID_TEMPLATE', what, { status: exit.invalid, command: 'rollkey render --help' })
    }
    if (Object.hasOwn(variables, name)) return variables[name] ?? ''
    if (!unknown.has(name)) unknown.set(name, lineAt(text, at))
    return ''
  })
  if (unknown.size > 0) throw notFound(unknown, Object.keys(variables), { file, where })
  return filled
}

function notFound(unknown: ReadonlyMap<string, number>, known: readonly string[], { file, where }: Origin): CliError {
  const names = [...unknown].map(([name, line]) => `${name} (line ${line})`)
  const near = [...new Set([...unknown.keys()].flatMap((name) => nearest(name, known)))]
  const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : ''
  const what = `${file} names variables that ${where} does not have: ${names.join(', ')}${hint}`
  return new CliError('VARIABLE_NOT_FOUND', what, { status: exit.notFound, command: 'rollkey list' })
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}
