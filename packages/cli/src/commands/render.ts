import { readFileSync, statSync } from 'node:fs'
import type { PullResult } from '@rollkey/sdk'
import type { Variables } from '../formats/refuse.ts'
import { failureOf, usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { rollOptions, type RollOptions } from '../frame/roll-options.ts'
import { targetFile, writeTarget, type Target } from '../frame/target-file.ts'
import { readUtf8 } from '../frame/utf8.ts'
import { offlineOptions, StageValues, type OfflineOptions } from '../offline/stage-values.ts'
import { fillTemplate } from '../render/template.ts'
import { Changes } from '../run/changes.ts'
import { Child } from '../run/child.ts'
import { withoutCredentials } from '../run/environment.ts'

interface Options extends OfflineOptions, RollOptions {
  readonly out?: string
  readonly watch?: true
  readonly reveal?: true
}

const help = 'rollkey render --help'

export const render = command<Options>({
  name: 'render',
  args: '<FILE> [COMMAND...]',
  summary: 'Fill in the {{ NAME }} of a template file with the values of a stage',
  completes: [undefined],
  target: 'stage',
  options: [
    ['-o, --out <file>', 'write this file atomically, readable only by you (0600)'],
    ['--watch', 'write the file again when a variable changes, and run COMMAND each time its content is another'],
    ...rollOptions,
    ...offlineOptions,
    ['--reveal', 'show the values on a terminal'],
  ],
  examples: [
    ['render nginx.conf.tmpl -o nginx.conf', '{{ NAME }} becomes the value, and {{{{ becomes {{'],
    ['render app.yaml.tmpl | kubectl apply -f -', 'without -o, to stdout'],
    ['render nginx.conf.tmpl -o nginx.conf --watch -- nginx -s reload', 'reloads after each change'],
  ],
  async run(context, [file = '', ...argv], { out: name, watch, reveal, ...options }) {
    if (watch && (name === undefined || file === '-' || options.offline))
      throw usage('--watch needs a template file and -o FILE, and does not go together with --offline')
    if (!watch && argv.length > 0)
      throw usage('A command needs --watch (expected render FILE -o FILE --watch -- COMMAND)')
    const target = name === undefined ? undefined : targetFile(context, name, help)
    const fill = async (variables: Variables): Promise<string> => {
      const template = await readUtf8(context, file, 'INVALID_TEMPLATE', help)
      return fillTemplate(template, variables, { file, where: context.where })
    }
    const values = await StageValues.open(context, options)
    try {
      const pulled = await values.read()
      if (!target) return await print(context, fill, pulled, reveal === true)
      const write = async (variables: Variables): Promise<boolean> => writeIfChanged(target, await fill(variables))
      const hasChanged = await write(pulled.variables)
      sayWritten(context, target, pulled.revision)
      if (watch) await writeChanges(context, values, { target, pulled, write, argv, hasChanged })
    } finally {
      await values.close()
    }
  },
})

/** Writes a file whose content is another, or that others may read. Returns whether the content was another. */
async function writeIfChanged(target: Target, text: string): Promise<boolean> {
  const existing = existingAt(target)
  const hasChanged = existing?.text !== text
  if (hasChanged || !existing.isPrivate) await writeTarget(target, text)
  return hasChanged
}

function existingAt({ path }: Target): { readonly text: string; readonly isPrivate: boolean } | undefined {
  try {
    return { text: readFileSync(path, 'utf8'), isPrivate: (statSync(path).mode & 0o077) === 0 }
  } catch {
    return undefined
  }
}

function sayWritten({ out }: Context, { name }: Target, revision: number): void {
  if (out.isJson) out.json({ file: name, revision })
  else out.note(`Wrote ${name} (revision ${revision}).`)
}

async function print(
  { out }: Context,
  fill: (variables: Variables) => Promise<string>,
  { variables, revision }: PullResult,
  isRevealed: boolean,
): Promise<void> {
  const shown = Object.entries(variables).map(([name, value]) => [name, out.secret(value, isRevealed)])
  const text = await fill(Object.fromEntries(shown) as Variables)
  if (out.isJson) out.json({ text, revision })
  else out.write(text)
  if (out.isTerminal && !isRevealed) out.note('The values are hidden. Add --reveal to show them.')
}

interface Rewrites {
  readonly target: Target
  readonly pulled: PullResult
  readonly write: (variables: Variables) => Promise<boolean>
  readonly argv: readonly string[]
  /** Whether the first write has changed the file. */
  readonly hasChanged: boolean
}

/** Writes the file after each change, and runs the command each time the content was another, until a signal ends this process. */
async function writeChanges(
  context: Context,
  values: StageValues,
  { target, pulled, write, argv, hasChanged }: Rewrites,
): Promise<never> {
  const warn = (text: string): void => context.out.warn(text)
  const client = await values.client()
  const changes = new Changes({ client, values, pulled, apply: write, warn, action: 'Rendering', user: target.name })
  // A watch alone does not keep a process alive.
  setInterval(() => {}, 3_600_000)
  for (let isNew = hasChanged; ;) {
    // oxlint-disable-next-line no-await-in-loop -- one change after the other
    if (isNew && argv.length > 0) await runCommand(context, argv)
    // oxlint-disable-next-line no-await-in-loop -- one change after the other
    isNew = await changes.next()
  }
}

/** Runs a command. Its failure is a line on stderr. */
async function runCommand({ env, out }: Context, argv: readonly string[]): Promise<void> {
  try {
    const { code, signal } = await (await Child.start(argv, withoutCredentials(env))).ended
    if (code !== 0) out.warn(`${argv[0]} ended with ${signal ?? `status ${code}`}`)
  } catch (error) {
    out.warn(failureOf(error).line)
  }
}
