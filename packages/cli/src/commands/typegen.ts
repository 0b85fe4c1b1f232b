import path from 'node:path'
import type { Client } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { Failure, failureOf, usage } from '../frame/failure.ts'
import type { Output } from '../frame/output.ts'
import { changesBetween, changesText, isSameCode } from '../typegen/changes.ts'
import { declarationsOf } from '../typegen/declarations.ts'
import { readIfThere, replaceFile } from '../typegen/file.ts'

interface Options {
  readonly out?: string
  readonly check?: true
  readonly watch?: true
}

const help = 'rollkey typegen --help'

/** As long as a person waits for an editor to know a new name; the questions are not metered. */
const watchEveryMs = 2_000

export const typegen = command<Options>({
  name: 'typegen',
  summary: 'Write TypeScript declarations of the names and types of a stage',
  reach: 'stage',
  options: [
    ['-o, --out <file>', 'write this file, if something has changed; without it, to stdout'],
    ['--check', 'write nothing; exit status 1 if the file has other names or types than the stage'],
    ['--watch', 'keep the file up to date until stopped'],
  ],
  examples: [
    ['typegen -o src/rollkey.d.ts', 'the SDK then knows every name and the type of its value'],
    ['typegen -o src/rollkey.d.ts --check', 'in CI'],
    ['typegen -o src/rollkey.d.ts --watch', 'beside a compiler that watches too'],
  ],
  async run(context, _, { out: file, check, watch }) {
    if (file === undefined && (check || watch)) throw usage('--check and --watch need -o FILE', help)
    if (check && watch) throw usage('--check and --watch exclude each other', help)
    const { project, stage } = context.settings
    const client = await context.stage()
    const declarations = async (): Promise<string> =>
      declarationsOf(`${project?.value}/${stage?.value}`, (await client.manifest()).variables)
    const text = await declarations()
    if (file === undefined) print(context, text)
    else if (check) checkFile(context, file, text)
    else writeFile(context, file, text)
    if (file !== undefined && watch) {
      await eachRevision(client, async () => writeFile(context, file, await declarations()), context.out)
    }
  },
})

function print({ out }: Context, text: string): void {
  if (out.isJson) out.json({ declarations: text })
  else out.write(text)
}

function checkFile({ out, cwd }: Context, file: string, text: string): void {
  const before = readIfThere(path.resolve(cwd, file))
  if (!isSameCode(before, text)) {
    throw new Failure('OUT_OF_DATE', `${file} is not what the stage is: ${changesText(changesBetween(before, text))}`, {
      command: `rollkey typegen -o ${file}`,
    })
  }
  if (out.isJson) out.json({ file, isCurrent: true })
  else out.note(`${file} is up to date.`)
}

/** A file that says the same already keeps its time, so that nothing is built again for it. */
function writeFile({ out, cwd }: Context, file: string, text: string): void {
  const full = path.resolve(cwd, file)
  const before = readIfThere(full)
  if (before !== text) replaceFile(full, text)
  const changes = changesBetween(before, text)
  if (out.isJson) out.json({ file, isWritten: before !== text, ...changes })
  else out.note(before === text ? `${file} is up to date.` : `Wrote ${file}: ${changesText(changes)}.`)
}

/** Never resolves. A revision whose manifest cannot be had is told of, and made up for by the next one. */
function eachRevision(client: Client, update: () => Promise<void>, out: Output): Promise<never> {
  let turn = Promise.resolve()
  client.watch(
    () => {
      turn = turn.then(update).catch((error: unknown) => out.warn(failureOf(error).line))
    },
    { everyMs: watchEveryMs },
  )
  // The watch alone does not keep the process.
  setInterval(() => undefined, 3_600_000)
  return new Promise(() => undefined)
}
