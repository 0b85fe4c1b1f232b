import type { Context } from './context.ts'
import { usage } from './cli-error.ts'
import { shellWord } from '../formats/shell.ts'

export interface StageArgument {
  readonly project: string
  readonly stage: string
}

/** Parses `STAGE`, a stage of the project in the settings, or `PROJECT/STAGE`. */
export function parseStage({ settings }: Context, name: string): StageArgument {
  const [stage = '', project = settings.project?.value, ...more] = name.split('/').toReversed()
  if (project === undefined) throw usage(`No project is set: use PROJECT/${name}, or add --project`)
  if (stage === '' || project === '' || more.length > 0)
    throw usage(`Unknown stage ${JSON.stringify(name)} (expected STAGE or PROJECT/STAGE)`)
  return { project, stage }
}

/** Returns the stage of the settings. */
export function stageOf(context: Context): StageArgument {
  return parseStage(context, context.settings.stage?.value ?? '')
}

/** Returns a stage such as `shop/prod`. */
export function stageText({ project, stage }: StageArgument): string {
  return `${project}/${stage}`
}

/** Says how to return a stage to a revision. Before the first one, there is nothing to return to. */
export function undoText({ project, stage }: StageArgument, revision: number): string {
  return revision > 0
    ? `To undo it: rollkey restore ${revision} --project ${project} --stage ${stage}`
    : 'To undo it: rollkey delete'
}

/** Says how to undo a write of variables of the stage of the settings. Says nothing of the first write of a stage. */
export function noteUndo(context: Context, names: readonly string[], revision: number): void {
  if (revision > 1)
    context.out.note(`${undoText(stageOf(context), revision - 1)} --names ${names.map(shellWord).join(' ')}`)
}
