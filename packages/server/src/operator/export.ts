/** The command that exports an organization as one JSON document (docs/export.md). */
import { Readable } from 'node:stream'
import { plainDeclaration, type Declaration, type Export, type RevealedEntry } from '@rollkey/contract'
import { operatorActorOf } from '../storage/actor.ts'
import { appendAudit } from '../storage/audit.ts'
import { organizationSettings } from '../storage/organizations.ts'
import { undefinedIfCannotOpen } from '../variables/opening.ts'
import type { Projects } from '../stages/projects.ts'
import { revealedEntry } from '../variables/reveal.ts'
import type { StageRef, Stages } from '../stages/stages.ts'
import { organizationOf, storeCommand } from './command.ts'
import { encryptForOption } from './key-file.ts'
import { writeNewFile } from './new-file.ts'

interface ExportSummary {
  variables: number
  /** Variables whose values cannot be opened, as project/stage/name. */
  readonly unopened: string[]
}

/** Returns the JSON of an object without its closing brace, so that a list can follow. */
function withoutClosingBrace(fields: object): string {
  return JSON.stringify(fields).slice(0, -1)
}

/** Yields the text, one variable per line. Each stage is a snapshot, and at most one value is open at a time. */
async function* textOf(
  head: Omit<Export, 'projects'>,
  projects: Awaited<ReturnType<Projects['list']>>,
  variablesOf: (
    projectSlug: string,
    stageSlug: string,
  ) => Promise<{ revision: number; variables: Iterable<RevealedEntry> }>,
  declarationsOf: (projectSlug: string) => Promise<readonly Declaration[]>,
): AsyncGenerator<string> {
  yield `${withoutClosingBrace(head)},"projects":[`
  for (const [index, { projectSlug, name, archivedAtMs, stages }] of projects.entries()) {
    const project = withoutClosingBrace({ slug: projectSlug, name, archived: archivedAtMs !== undefined })
    yield `${index > 0 ? ',' : ''}\n${project},"stages":[`
    for (const [at, stage] of stages.entries()) {
      const { revision, variables } = await variablesOf(projectSlug, stage.stageSlug)
      const { stageSlug: slug, name: stageName, isProduction, archivedAtMs: stageArchivedAtMs } = stage
      const stageHead = { slug, name: stageName, archived: stageArchivedAtMs !== undefined, isProduction, revision }
      yield `${at > 0 ? ',' : ''}\n${withoutClosingBrace(stageHead)},"variables":[`
      let comma = ''
      for (const variable of variables) {
        yield `${comma}\n${JSON.stringify(variable)}`
        comma = ','
      }
      yield ']}'
    }
    const declarations = await declarationsOf(projectSlug)
    yield declarations.length > 0 ? `],"declarations":${JSON.stringify(declarations)}}` : ']}'
  }
  yield ']}\n'
}

async function openStage(stages: Stages, stageRef: StageRef, summary: ExportSummary) {
  const stage = await stages.current(stageRef)
  function* variables(): Generator<RevealedEntry> {
    for (const variable of stage?.variables.values() ?? []) {
      const entry = stage && undefinedIfCannotOpen(() => revealedEntry(stage, variable))
      if (entry) {
        summary.variables++
        yield entry
      } else summary.unopened.push(`${stageRef.projectSlug}/${stageRef.stageSlug}/${variable.name}`)
    }
  }
  return { revision: stage?.revision ?? 0, variables: variables() }
}

export const exportAll = storeCommand<{ org: string; file: string; recipient?: string }>({
  name: 'export',
  args: [
    ['<ORG>', 'slug or ID of the organization'],
    ['<FILE>', 'new file'],
  ],
  summary: 'Export all values of an organization to a new JSON file, in plaintext unless it is sealed',
  options: [['--recipient <age1…>', 'seal the file for this age public key']],
  examples: [
    ['export acme acme.json', 'in plaintext, readable only by you'],
    ['export acme acme.json.age --recipient age1…', 'sealed for a key of `backup new-key`'],
  ],
  async runOnStore({ sql, clock, stages, projects, declarations }, { org, file, recipient }) {
    const { id: orgId, slug } = await organizationOf(sql, org)
    const seal =
      recipient === undefined ? async (plain: Readable) => plain : await encryptForOption(recipient, 'export')
    await sql.tx((tx) => appendAudit(tx, operatorActorOf(orgId), { action: 'export', nowMs: clock.now() }))
    const exportedAt = new Date(clock.now()).toISOString()
    const name = (await organizationSettings(sql, orgId))?.name ?? slug
    const all = await projects.list(orgId, () => true)
    const summary: ExportSummary = { variables: 0, unopened: [] }
    const head = { format: 'rollkey-export', version: 1, exportedAt, organization: { slug, name } } as const
    const text = textOf(
      head,
      all,
      (projectSlug, stageSlug) => openStage(stages, { orgId, projectSlug, stageSlug }, summary),
      async (projectSlug) => (await declarations.list(orgId, projectSlug)).map(plainDeclaration),
    )
    await writeNewFile(file, await seal(Readable.from(text, { objectMode: false })))
    return { file, organization: slug, projects: all.length, ...summary, ...(recipient && { sealedFor: recipient }) }
  },
})
