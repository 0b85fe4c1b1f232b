import { lstatSync } from 'node:fs'
import path from 'node:path'
import type { PullResult } from '@rollkey/sdk'
import { writeFileAtomically } from '@rollkey/sdk/node'
import { environmentFormats, formats, type FormatName } from '../formats/index.ts'
import { joinNames, skipInvalidNames, type Variables } from '../formats/refuse.ts'
import { refuseReserved } from '../formats/reserved.ts'
import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import type { Context } from '../frame/context.ts'
import { exit, CliError, usage } from '../frame/cli-error.ts'
import { contextOf, contextOption } from '../frame/context-option.ts'

interface Options {
  readonly format?: string
  readonly out?: string
  readonly seed?: string
  readonly key?: string
  readonly context?: string
  readonly reveal?: true
  readonly skipInvalid?: true
  readonly allowReserved?: true
}

const help = 'rollkey pull --help'

export const pull = command<Options>({
  name: 'pull',
  summary: 'Print all values of a stage, or write them to a file',
  target: 'stage',
  options: [
    ['-f, --format <format>', 'dotenv, docker, json, yaml or shell (default: dotenv)', Object.keys(formats)],
    ['-o, --out <file>', 'write this file atomically, readable only by you (0600)'],
    ['--seed <seed>', 'user of A/B rolls, such as a user id'],
    ['--key <key>', 'experiment of A/B rolls'],
    contextOption,
    ['--reveal', 'show the values on a terminal'],
    ['--skip-invalid', 'skip names that are not valid for environment variables, in dotenv, docker and shell'],
    ['--allow-reserved', 'allow names such as PATH, LD_PRELOAD and NODE_OPTIONS, which decide what code runs'],
  ],
  examples: [
    ['pull -o .env', 'for tools that read a .env file; rollkey run needs none'],
    ['pull --format shell', 'for eval "$(…)" in a shell'],
    ['pull --format docker -o web.env', 'for docker run --env-file'],
    ['pull --stage prod --format json | jq keys', 'for a script; a pipe always gets the values'],
  ],
  async run(context, _, { format = 'dotenv', out: file, seed, key, context: json, reveal, ...options }) {
    if (!isFormat(format)) {
      throw usage(`Unknown format ${JSON.stringify(format)} (expected ${Object.keys(formats).join(', ')})`)
    }
    const target = file === undefined ? undefined : targetOf(context, file)
    const stage = await context.stage()
    const roll = { seed, key, context: contextOf(json) }
    const { variables, revision } = await withConfirmation(context, stage, () => stage.pull(roll))
    const isWritten = file !== undefined || !context.out.isJson
    const pulled = {
      variables: isWritten ? variablesToWrite(context, format, variables, options) : variables,
      revision,
    }
    if (file === undefined || target === undefined) return print(context, format, pulled, reveal === true)
    await write(file, target, formats[format](pulled.variables))
    const names = Object.keys(pulled.variables)
    if (context.out.isJson) context.out.json({ file, format, names, revision: pulled.revision })
    else context.out.note(`Wrote ${file}: ${names.length} variables (revision ${pulled.revision}).`)
  },
})

/** Returns the variables to write. Throws RESERVED_NAME. */
function variablesToWrite({ out }: Context, format: FormatName, variables: Variables, options: Options): Variables {
  if (!environmentFormats.includes(format)) return variables
  const { kept, skipped } = options.skipInvalid ? skipInvalidNames(variables) : { kept: variables, skipped: [] }
  if (skipped.length > 0) out.warn(`Skipped names that are not valid for environment variables: ${joinNames(skipped)}`)
  if (!options.allowReserved) refuseReserved(kept, 'rollkey pull --allow-reserved')
  return kept
}

function isFormat(text: string): text is FormatName {
  return Object.hasOwn(formats, text)
}

/** Returns the path to write. Throws if a link, a pipe, a device or a folder is there, which must not be replaced. */
function targetOf({ cwd }: Context, file: string): string {
  const target = path.resolve(cwd, file)
  const existing = lstatSync(target, { throwIfNoEntry: false })
  if (existing && !existing.isFile()) {
    const what = `${file} is not a regular file and was not replaced; choose another, or omit -o and redirect stdout`
    throw new CliError('FILE_EXISTS', what, { status: exit.invalid, command: help })
  }
  return target
}

async function write(file: string, target: string, text: string): Promise<void> {
  try {
    await writeFileAtomically(target, text)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CliError('NOT_WRITTEN', `${file} cannot be written (${code}); it is unchanged`, {
      command: help,
    })
  }
}

function print({ out }: Context, format: FormatName, { variables, revision }: PullResult, isRevealed: boolean): void {
  const shown = Object.entries(variables).map(([name, value]) => [name, out.secret(value, isRevealed)])
  const masked = Object.fromEntries(shown) as Record<string, string>
  if (out.isJson) out.json({ variables: masked, revision })
  else out.write(formats[format](masked))
  if (out.isTerminal && !isRevealed) out.note('The values are hidden. Add --reveal to show them.')
}
