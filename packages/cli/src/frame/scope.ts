/** The place that a command about access is about. */
import type { Place } from '@rollkey/contract/rules'
import type { Client } from '@rollkey/sdk'
import type { Option } from './command.ts'
import type { Context } from './context.ts'
import { CliError, exit, usage, placesCommand } from './cli-error.ts'
import { hintOf } from './names.ts'
import { parseStage } from './stage-argument.ts'

export interface ScopeOptions {
  readonly scope?: (typeof scopes)[number]
}

export const scopes = ['stage', 'project', 'organization'] as const

export const scopeOption: Option = ['--scope <scope>', 'stage, project or organization (default: stage)', scopes]

/** Returns the stage of the argument or of the settings or, with `--scope`, its project or the organization. */
export function placeOf(context: Context, stage: string | undefined, { scope = 'stage' }: ScopeOptions): Place {
  const { settings } = context
  if (scope === 'stage') {
    const named = stage ?? settings.stage?.value
    if (named === undefined) throw usage('No stage is set (expected STAGE, --stage or --scope)')
    const parsed = parseStage(context, named)
    return { projectSlug: parsed.project, stageSlug: parsed.stage }
  }
  if (stage !== undefined) throw usage(`--scope ${scope} does not go together with a stage`)
  if (scope === 'organization') return {}
  if (settings.project === undefined) throw usage('--scope project needs --project')
  return { projectSlug: settings.project.value }
}

/** Connects for a command about a place. Throws STAGE_NOT_FOUND, with what exists, if there is no such project or stage. */
export async function connectTo(context: Context, { projectSlug, stageSlug }: Place): Promise<Client> {
  const client = await context.service()
  if (projectSlug === undefined) return client
  const { projects } = await client.projects()
  const project = projects.find((each) => each.projectSlug === projectSlug)
  if (!project)
    throw missing(
      'organization',
      'project',
      projectSlug,
      projects.map((each) => each.projectSlug),
    )
  const stages = project.stages.map((each) => each.stageSlug)
  if (stageSlug !== undefined && !stages.includes(stageSlug))
    throw missing(`project ${JSON.stringify(projectSlug)}`, 'stage', stageSlug, stages)
  return client
}

function missing(where: string, what: string, slug: string, among: readonly string[]): CliError {
  const message = `The ${where} has no ${what} ${JSON.stringify(slug)}.${hintOf(slug, among)}`
  return new CliError('STAGE_NOT_FOUND', message, { status: exit.notFound, command: placesCommand(message) })
}
