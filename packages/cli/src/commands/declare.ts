import { existsSync } from 'node:fs'
import path from 'node:path'
import {
  declarationsOfDocument,
  differenceOfDeclarations,
  documentOfDeclarations,
  type Declaration,
  type DeclarationsDifference,
  type DeclarationsDocument,
} from '@rollkey/contract/rules'
import type { Client } from '@rollkey/sdk'
import { readDocument, declarationsFile, writeDocument } from '../declare/file.ts'
import { usedByCode, type UsedByCode } from '../declare/from-code.ts'
import { joinNames } from '../formats/refuse.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { CliError, exit, usage } from '../frame/cli-error.ts'
import type { Cell } from '../frame/output.ts'
import { connectTo } from '../frame/scope.ts'
import { countText } from '../frame/words.ts'

const args = '[FILE]'
const different = 1

const pull = command({
  name: 'declare pull',
  args,
  summary: 'Write the declarations of a project to a JSON Schema',
  target: 'project',
  examples: [
    ['declare pull', `writes ${declarationsFile}, for git`],
    ['declare pull - > schema.json', 'to stdout'],
  ],
  async run(context, [file = declarationsFile]) {
    const { document } = await (await projectOf(context)).manage.declarations.document()
    if (file === '-') return context.out.write(textOf(document))
    await writeDocument(context, file, textOf(document))
    const { length } = Object.keys(document.properties ?? {})
    if (context.out.isJson) context.out.json({ file, declared: length })
    else context.out.note(`Wrote ${file}: ${length} declared.`)
  },
})

const push = command({
  name: 'declare push',
  args,
  summary: 'Make the declarations of a project what a JSON Schema says',
  target: 'project',
  examples: [
    ['declare push', `what ${declarationsFile} does not have is no longer declared; no variable changes`],
    ['declare push schema.json --json', 'for a script'],
  ],
  async run(context, [file = declarationsFile]) {
    const document = readDocument(context, file)
    const { created, updated, deleted } = await (await projectOf(context)).manage.declarations.replace({ document })
    const difference = { added: created, changed: updated, removed: deleted }
    if (context.out.isJson) return context.out.json(difference)
    print(context, difference)
    const isSame = created.length + updated.length + deleted.length === 0
    context.out.note(isSame ? 'The project declares this already.' : `The project now declares what ${file} says.`)
  },
})

const diff = command({
  name: 'declare diff',
  args,
  summary: 'Compare the declarations of a project with a JSON Schema; exits with 1 if they differ',
  target: 'project',
  examples: [
    ['declare diff', `what a push of ${declarationsFile} would change`],
    ['declare diff schema.json --json', 'for a script'],
  ],
  async run(context, [file = declarationsFile]) {
    const document = readDocument(context, file)
    const before = await (await projectOf(context)).manage.declarations.list()
    const difference = differenceOfDeclarations(before.declarations, declarationsIn(document, file))
    const { added, changed, removed } = difference
    const isSame = added.length + changed.length + removed.length === 0
    if (context.out.isJson) context.out.json(difference)
    else print(context, difference)
    if (isSame) context.out.note(`The project declares what ${file} says.`)
    return isSame ? exit.ok : different
  },
})

const fromCode = command<{ readonly out?: string }>({
  name: 'declare from-code',
  args: '<FOLDER>',
  summary: 'Propose declarations from what programs read of process.env, import.meta.env and with the SDK',
  target: 'nothing',
  options: [['-o, --out <file>', 'add them to this JSON Schema, and leave what it has already (default: stdout)']],
  examples: [
    ['declare from-code src', 'a variable without a fallback is required'],
    [`declare from-code . -o ${declarationsFile}`, 'to look at, complete and push'],
  ],
  async run(context, [folder = '.'], { out: file }) {
    const { declarations, files, unreadable } = await usedIn(context, folder)
    if (unreadable.length > 0) context.out.warn(`Skipped what cannot be parsed: ${joinNames(unreadable)}`)
    if (file === undefined) {
      context.out.write(textOf(documentOfDeclarations(declarations)))
      return context.out.note(`Add -o ${declarationsFile} to write it, complete it, then: rollkey declare push`)
    }
    const before = existsSync(path.resolve(context.cwd, file)) ? readDocument(context, file) : { properties: {} }
    const added = declarations.filter(({ name }) => !Object.hasOwn(before.properties ?? {}, name))
    const proposed = documentOfDeclarations(added)
    const required = [...(before.required ?? []), ...(proposed.required ?? [])]
    const document = { ...proposed, ...before, properties: { ...before.properties, ...proposed.properties }, required }
    await writeDocument(context, file, textOf(document))
    const names = added.map(({ name }) => name)
    if (context.out.isJson) context.out.json({ file, added: names })
    else context.out.note(`${countText(files, 'file')} read, ${names.length} added to ${file}${listOf(names)}`)
  },
})

function listOf(names: readonly string[]): string {
  return names.length > 0 ? `: ${joinNames(names)}` : '.'
}

async function usedIn({ cwd }: Context, folder: string): Promise<UsedByCode> {
  const full = path.resolve(cwd, folder)
  if (!existsSync(full)) throw new CliError('INVALID_FILE', `${folder} does not exist`, { status: exit.usage })
  return usedByCode(full)
}

export const declareCommands = [pull, push, diff, fromCode]

/** Returns the client of the project of the settings. */
export async function projectOf(context: Context): Promise<Client> {
  const project = context.settings.project?.value
  if (project === undefined)
    throw usage('No project is set (expected --project, ROLLKEY_PROJECT or rollkey.json)', 'rollkey project list')
  return (await connectTo(context, { projectSlug: project })).at({ project })
}

/** Returns the declarations of a document, of which only the service checks each. */
function declarationsIn(document: DeclarationsDocument, file: string): readonly Declaration[] {
  const read = declarationsOfDocument(document)
  if ('problem' in read) throw new CliError('INVALID_FILE', `${file}: ${read.problem}`, { status: exit.invalid })
  return read.declarations
}

function textOf(document: DeclarationsDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

function print({ out }: Context, { added, changed, removed }: DeclarationsDifference): void {
  const rows = [
    ...added.map((name): Cell[] => [name, { text: 'added', style: 'green' }]),
    ...changed.map((name): Cell[] => [name, { text: 'changed', style: 'yellow' }]),
    ...removed.map((name): Cell[] => [name, { text: 'removed', style: 'red' }]),
  ]
  if (rows.length > 0) out.table(['name', 'declaration'], rows)
}
