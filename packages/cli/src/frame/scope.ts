/** The place that a command about access is about. */
import type { Place } from '@rollkey/contract/rules'
import type { Option } from './command.ts'
import type { Context } from './context.ts'
import { usage } from './cli-error.ts'
import { parseStage } from './stage-argument.ts'

export interface ScopeOptions {
  readonly scope?: string
}

export const scopes = ['stage', 'project', 'organization']

export const scopeOption: Option = ['--scope <scope>', 'stage, project or organization (default: stage)', scopes]

/** Returns the stage of the argument or of the settings or, with `--scope`, its project or the organization. */
export function placeOf(context: Context, stage: string | undefined, { scope = 'stage' }: ScopeOptions): Place {
  const { settings } = context
  if (!scopes.includes(scope))
    throw usage(`Unknown --scope ${JSON.stringify(scope)} (expected stage, project or organization)`)
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
