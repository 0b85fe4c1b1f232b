import path from 'node:path'
import type { Declaration } from '@rollkey/contract/rules'
import type { Answer, Client } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { CliError, failureOf, usage } from '../frame/cli-error.ts'
import type { Output } from '../frame/output.ts'
import { changesBetween, changesText, isSameCode } from '../typegen/changes.ts'
import { declarationsOf } from '../typegen/declarations.ts'
import { envExample } from '../typegen/env-example.ts'
import { jsonSchema } from '../typegen/json-schema.ts'
import { readIfExists, replaceFile } from '../typegen/file.ts'
import { zodSchema } from '../typegen/zod.ts'

interface Options {
  readonly out?: string
  readonly check?: true
  readonly watch?: true
  readonly format?: keyof typeof formats
}

type Manifest = Answer<'manifest'>

/** What each format makes of the variables of a stage and the declarations of its project. */
const formats = {
  ts: (where, { variables }, declared) => declarationsOf(where, variables, declared),
  zod: (_, __, declared) => zodSchema(declared),
  'json-schema': (_, __, declared) => jsonSchema(declared),
  'env-example': (_, __, declared) => envExample(declared),
} satisfies Record<string, (where: string, manifest: Manifest, declared: readonly Declaration[]) => string>

const formatNames = Object.keys(formats) as (keyof typeof formats)[]

/** What a person does once. A file that the compiler does not read is the most frequent reason that types are missing. */
const firstSteps = `TypeScript uses it if "include" of tsconfig.json covers the file. Commit it; rollkey typegen --watch keeps it up to date.`

/** Interval of --watch while there is no stream, in milliseconds. Its requests are not metered. */
const watchIntervalMs = 5_000

export const typegen = command<Options>({
  name: 'typegen',
  summary: 'Write TypeScript declarations of the variables of a stage',
  target: 'stage',
  options: [
    ['-o, --out <file>', 'write this file if it has changed (default: stdout)'],
    ['--check', 'write nothing; exit with 1 if names or types in the file differ from the stage'],
    ['--watch', 'keep the file up to date until stopped'],
    [
      '--format <format>',
      'ts, or from the declarations of the project: zod for a schema of process.env, json-schema for validators of other languages, env-example',
      formatNames,
    ],
  ],
  examples: [
    ['typegen -o src/rollkey.d.ts', 'gives the SDK the name and type of every variable'],
    ['typegen -o src/rollkey.d.ts --check', 'in CI'],
    ['typegen -o .env.example --format env-example', 'for people without access'],
    ['typegen -o src/rollkey.d.ts --watch', 'next to a compiler in watch mode'],
  ],
  async run(context, _, { out: file, check, watch, format = 'ts' }) {
    if (file === undefined && (check || watch)) throw usage('--check and --watch need -o FILE')
    if (check && watch) throw usage('--check and --watch cannot be combined')
    const client = await context.stage()
    const textOf = async (from: Manifest): Promise<string> => {
      const { declarations } = await client.manage.declarations.list()
      return formats[format](context.where, from, declarations)
    }
    const manifest = await client.manifest()
    const text = await textOf(manifest)
    if (file === undefined) print(context, text)
    else if (check) checkFile(context, file, text)
    else {
      const outcome = await writeFile(context, file, text)
      if (outcome === 'kept') reportUpToDate(context, file)
      if (outcome === 'created' && !watch && !context.out.isJson && file.endsWith('.d.ts')) context.out.note(firstSteps)
    }
    if (file !== undefined && watch) {
      const update = async (): Promise<void> =>
        void (await writeFile(context, file, await textOf(await client.manifest())))
      await eachChange(client, manifest.revision, update, context.out)
    }
  },
})

function print({ out }: Context, text: string): void {
  if (out.isJson) return out.json({ declarations: text })
  out.write(text)
  if (out.isTerminal)
    out.note('To give the types to the SDK, write them to a file: rollkey typegen -o src/rollkey.d.ts')
}

function checkFile(context: Context, file: string, text: string): void {
  const before = readIfExists(path.resolve(context.cwd, file))
  if (!isSameCode(before, text)) {
    throw new CliError('OUT_OF_DATE', withChanges(`${file} is out of date`, before, text), {
      command: `rollkey typegen -o ${file}`,
    })
  }
  reportUpToDate(context, file)
}

/** Adds to a sentence which names changed, if the format is one whose names are read. */
function withChanges(sentence: string, before: string, after: string): string {
  const hasNames = changesBetween('', before + after).added.length > 0
  return hasNames ? `${sentence}: ${changesText(changesBetween(before, after))}` : sentence
}

function reportUpToDate({ out }: Context, file: string): void {
  if (out.isJson) out.json({ file, added: [], removed: [], retyped: [] })
  else out.note(`${file} is up to date.`)
}

/** Writes the file. Leaves one with the same content as is, so that it triggers no build. */
async function writeFile({ out, cwd }: Context, file: string, text: string): Promise<'kept' | 'created' | 'changed'> {
  const full = path.resolve(cwd, file)
  const before = readIfExists(full)
  if (before === text) return 'kept'
  await replaceFile(full, text)
  if (out.isJson) out.json({ file, ...changesBetween(before, text) })
  else out.note(`${withChanges(`Wrote ${file}`, before, text)}.`)
  return before === '' ? 'created' : 'changed'
}

/** Updates the file with each change. Never resolves. */
function eachChange(client: Client, since: number, update: () => Promise<void>, out: Output): Promise<never> {
  let queue = Promise.resolve()
  const next = (): void => {
    queue = queue.then(update).catch((error: unknown) => out.warn(failureOf(error, 'rollkey typegen --help').line))
  }
  client.watch(next, { since, intervalMs: watchIntervalMs })
  // Retries a failed update, and keeps the process alive, which the watch alone does not.
  setInterval(next, 60_000)
  return new Promise(() => undefined)
}
