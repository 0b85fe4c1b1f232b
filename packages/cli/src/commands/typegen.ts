import path from 'node:path'
import type { Answer, Client } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { CliError, failureOf, usage } from '../frame/cli-error.ts'
import type { Output } from '../frame/output.ts'
import { changesBetween, changesText, isSameCode } from '../typegen/changes.ts'
import { declarationsOf } from '../typegen/declarations.ts'
import { readIfExists, replaceFile } from '../typegen/file.ts'

interface Options {
  readonly out?: string
  readonly check?: true
  readonly watch?: true
}

type Manifest = Answer<'manifest'>

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
  ],
  examples: [
    ['typegen -o src/rollkey.d.ts', 'gives the SDK the name and type of every variable'],
    ['typegen -o src/rollkey.d.ts --check', 'in CI'],
    ['typegen -o src/rollkey.d.ts --watch', 'next to a compiler in watch mode'],
  ],
  async run(context, _, { out: file, check, watch }) {
    if (file === undefined && (check || watch)) throw usage('--check and --watch need -o FILE')
    if (check && watch) throw usage('--check and --watch cannot be combined')
    const client = await context.stage()
    const textOf = ({ variables }: Manifest): string => declarationsOf(context.where, variables)
    const manifest = await client.manifest()
    const text = textOf(manifest)
    if (file === undefined) print(context, text)
    else if (check) checkFile(context, file, text)
    else if (!(await writeFile(context, file, text))) reportUpToDate(context, file)
    if (file !== undefined && watch) {
      const update = async (): Promise<void> => void (await writeFile(context, file, textOf(await client.manifest())))
      await eachChange(client, manifest.revision, update, context.out)
    }
  },
})

function print({ out }: Context, text: string): void {
  if (out.isJson) out.json({ declarations: text })
  else out.write(text)
}

function checkFile(context: Context, file: string, text: string): void {
  const before = readIfExists(path.resolve(context.cwd, file))
  if (!isSameCode(before, text)) {
    const what = changesText(changesBetween(before, text))
    throw new CliError('OUT_OF_DATE', `${file} is out of date: ${what}`, { command: `rollkey typegen -o ${file}` })
  }
  reportUpToDate(context, file)
}

function reportUpToDate({ out }: Context, file: string): void {
  if (out.isJson) out.json({ file, added: [], removed: [], retyped: [] })
  else out.note(`${file} is up to date.`)
}

/** Writes the file. Leaves one with the same content as is, so that it triggers no build. */
async function writeFile({ out, cwd }: Context, file: string, text: string): Promise<boolean> {
  const full = path.resolve(cwd, file)
  const before = readIfExists(full)
  if (before === text) return false
  await replaceFile(full, text)
  const changes = changesBetween(before, text)
  if (out.isJson) out.json({ file, ...changes })
  else out.note(`Wrote ${file}: ${changesText(changes)}.`)
  return true
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
