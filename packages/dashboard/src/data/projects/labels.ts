/** Names of places. */
import { list } from '../../lib/list.ts'

/** Names a stage, a project, or the whole organization. */
export function placeName({
  projectSlug,
  stageSlug,
}: {
  projectSlug?: string | undefined
  stageSlug?: string | undefined
}): string {
  if (projectSlug === undefined) return 'the whole organization'
  return stageSlug === undefined ? projectSlug : `${projectSlug}/${stageSlug}`
}

export const labels = {
  place: (project: string, stages: readonly string[]) => `${project} / ${list.format(stages)}`,
} as const
