import type { Context } from './context.ts'
import { usage } from './cli-error.ts'

export interface StageArgument {
  readonly project: string
  readonly stage: string
}

/** Parses `STAGE`, a stage of the project in the settings, or `PROJECT/STAGE`. */
export function parseStage({ settings }: Context, name: string, help: string): StageArgument {
  const [stage = '', project = settings.project?.value, ...more] = name.split('/').toReversed()
  if (project === undefined) throw usage(`No project is set: use PROJECT/${name}, or add --project`, help)
  if (stage === '' || project === '' || more.length > 0)
    throw usage(`Unknown stage ${JSON.stringify(name)} (expected STAGE or PROJECT/STAGE)`, help)
  return { project, stage }
}
