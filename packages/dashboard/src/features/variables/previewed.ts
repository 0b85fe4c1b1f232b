import { Problem } from '../../service/problem.ts'

/** A save that depends on the revisions that its preview showed; a Problem of its own kind if they have moved on. */
export async function saveAsPreviewed(save: () => Promise<unknown>): Promise<void> {
  try {
    await save()
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'REVISION_CONFLICT') throw error
    throw new Problem({ code: 'PREVIEW_OVER', message: 'A stage was changed since the preview.', status: error.status })
  }
}
