/** Ids of the commands of projects and stages that other pages request, and keys by which they get the focus. */

export function deleteCommand(projectSlug: string): string {
  return `delete/${projectSlug}`
}

export function newStageCommand(projectSlug: string): string {
  return `new-stage/${projectSlug}`
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
