/** Ids of the commands of projects and stages that other pages request, and keys by which they get the focus. */

/** What the menu of a project or stage does to it. */
type PlaceAction = 'rename' | 'archive' | 'delete'

/** `stageSlug`: absent for the project itself. */
export function placeCommand(action: PlaceAction, projectSlug: string, stageSlug?: string): string {
  return [action, projectSlug, ...(stageSlug === undefined ? [] : [stageSlug])].join('/')
}

/** What the menu of a stage does without a dialog. */
type StageAction = 'mark' | 'left' | 'right'

export function stageCommand(action: StageAction, projectSlug: string, stageSlug: string): string {
  return `${action}/${projectSlug}/${stageSlug}`
}

export function newStageCommand(projectSlug: string): string {
  return `new-stage/${projectSlug}`
}

export function newRollCommand(projectSlug: string): string {
  return `new-roll/${projectSlug}`
}

export function protectCommand(projectSlug: string, stageSlug: string): string {
  return `protect/${projectSlug}/${stageSlug}`
}

export function rulesCommand(projectSlug: string, stageSlug: string): string {
  return `rules/${projectSlug}/${stageSlug}`
}

export function stageFocus(stageSlug: string): string {
  return `stage/${stageSlug}`
}

export function cellFocus(stageSlug: string, name: string): string {
  return `cell/${stageSlug}/${name}`
}

/** The cell of the table that had the focus last, or what took its place. */
export const gridFocus = 'grid'
