/** A stage, a project, or all of the organization, in words. */
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
