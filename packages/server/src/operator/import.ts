/** The command that imports an export into an organization of this installation (docs/export.md). */
import { buffer } from 'node:stream/consumers'
import {
  clearedAttributes,
  decodeFile,
  exportFormat,
  limits,
  orderTemplates,
  sourcesOf,
  valuesOf,
  writeEntryOf,
  type Export,
  type WriteEntry,
} from '@rollkey/contract'
import { BadAgeKey, decryptFile } from '../backup/age.ts'
import { operatorActorOf, type Actor } from '../storage/actor.ts'
import { changeOfEntries } from '../variables/changes/entries.ts'
import { CommandError } from './command-error.ts'
import { orgIdOf, storeCommand, withCommandErrors, type Installation } from './command.ts'
import { readBytes, readError, readIdentity } from './key-file.ts'

/** Returns the content of a sealed export. Throws CommandError. */
async function decryptExport(file: string, keyFile: string): Promise<Uint8Array> {
  try {
    return await buffer(await decryptFile(file, readIdentity(keyFile)))
  } catch (error) {
    if (error instanceof CommandError) throw error
    if (error instanceof BadAgeKey) throw new CommandError('INVALID_FILE', error.message)
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw readError(file, error)
    throw new CommandError(
      'INVALID_FILE',
      `${file} cannot be opened: it is damaged, truncated, or sealed for another key. Check the file and --key-file.`,
    )
  }
}

/** Returns undefined for invalid JSON, because an error of the parser would quote the file. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Parses an export. Throws CommandError with the path of the first invalid field, never with its value. */
function parseExport(file: string, bytes: Uint8Array): Export {
  const decoded = decodeFile(bytes)
  // A replacement of what is not UTF-8 would change values silently.
  if ('invalidLine' in decoded) throw unreadable(file, `line ${decoded.invalidLine} is not UTF-8 text`)
  const document = parseJson(decoded.text)
  const { data, error } = exportFormat.safeParse(document)
  const unknown = data && unknownMember(document, data)
  if (unknown !== undefined)
    throw new CommandError(
      'INVALID_FILE',
      `${file} has ${unknown}, which this version of Rollkey does not know and would leave out: import it with the version that made it, or remove that field.`,
    )
  if (data) return data
  const [issue] = error.issues
  throw unreadable(file, `${issue?.path.join('.') || 'the document'} does not match docs/export.md`)
}

function unreadable(file: string, what: string): CommandError {
  return new CommandError(
    'INVALID_FILE',
    `${file} is not an export that this version of Rollkey can read: ${what}. A sealed export also needs --key-file.`,
  )
}

/** Returns the path of the first member of a document that its parsed form lacks; undefined if it lacks none. */
function unknownMember(document: unknown, parsed: unknown): string | undefined {
  if (typeof document !== 'object' || document === null) return undefined
  for (const [name, value] of Object.entries(document)) {
    if (!Object.hasOwn(parsed as object, name)) return name
    const inner = unknownMember(value, (parsed as Record<string, unknown>)[name])
    if (inner !== undefined) return `${name}.${inner}`
  }
  return undefined
}

type ExportedStage = Export['projects'][number]['stages'][number]

async function importStage(
  { projects, writer }: Installation,
  actor: Actor,
  projectSlug: string,
  { slug: stageSlug, archived, variables }: ExportedStage,
): Promise<void> {
  // A variable becomes what the file says: an attribute that the file omits does not stay.
  const all = inOrder(variables.map((entry) => ({ ...clearedAttributes, ...writeEntryOf(entry) }) as WriteEntry))
  for (let at = 0; at < all.length; at += limits.entries) {
    const entries = all.slice(at, at + limits.entries)
    const change = changeOfEntries({ mode: 'upsert', entries, deletes: [], ifRevision: undefined })
    await writer.write({ orgId: actor.orgId, projectSlug, stageSlug }, actor, change)
  }
  if (archived) await projects.updateStage(actor, { projectSlug, stageSlug, archived })
}

/** Returns the entries with each template after its sources, which may not fit into the same write. */
function inOrder(entries: readonly WriteEntry[]): readonly WriteEntry[] {
  const templates = new Map(entries.flatMap((entry) => (entry.template ? [[entry.name, entry] as const] : [])))
  const order = orderTemplates(templates.keys(), (name) => {
    const template = templates.get(name)
    return { kind: 'secret', ...(template && { sources: sourcesOf(valuesOf(template)) }) }
  })
  // The write names the problem.
  if ('fault' in order) return entries
  return [...entries.filter(({ template }) => !template), ...order.flatMap((name) => templates.get(name) ?? [])]
}

/** Creates the missing projects and stages and writes all variables. Leaves other variables as they are. */
async function importProjects(installation: Installation, actor: Actor, exported: Export): Promise<void> {
  const { projects, declarations } = installation
  const present = await projects.list(actor.orgId, () => true)
  for (const { slug: projectSlug, name, archived, stages, declarations: declared = [] } of exported.projects) {
    const existing = present.find((each) => each.projectSlug === projectSlug)
    if (!existing) await projects.create(actor, { projectSlug, name })
    for (const stage of stages) {
      const hasStage = existing?.stages.some(({ stageSlug }) => stageSlug === stage.slug)
      const { slug: stageSlug, name: stageName, isProduction } = stage
      if (!hasStage) await projects.createStage(actor, { projectSlug, stageSlug, name: stageName, isProduction })
      await importStage(installation, actor, projectSlug, stage)
    }
    // Last, because an export may have values that contradict them.
    if (declared.length > 0) await declarations.set(actor, projectSlug, declared)
    if (archived) await projects.update(actor, { projectSlug, archived })
  }
}

export const importAll = storeCommand<{ file: string; org: string; keyFile?: string }>({
  name: 'import',
  args: [
    ['<FILE>', 'export'],
    ['<ORG>', 'slug or ID of the organization'],
  ],
  summary: 'Import an export into an organization',
  options: [['--key-file <file>', 'age key that opens a sealed export']],
  examples: [
    ['import acme.json acme', 'keeps variables that are not in the export'],
    ['import acme.json.age acme --key-file backup.key', 'a sealed export'],
  ],
  async runOnStore(installation, { file, org, keyFile }) {
    const actor = operatorActorOf(await orgIdOf(installation.sql, org))
    const exported = parseExport(file, keyFile === undefined ? readBytes(file) : await decryptExport(file, keyFile))
    await withCommandErrors(importProjects(installation, actor, exported))
    const stages = exported.projects.flatMap((project) => project.stages)
    const variables = stages.reduce((sum, stage) => sum + stage.variables.length, 0)
    return { organization: org, projects: exported.projects.length, stages: stages.length, variables }
  },
})
