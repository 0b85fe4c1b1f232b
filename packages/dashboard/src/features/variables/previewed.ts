import { PageError, hasCode } from '../../service/errors.ts'

/** Saves what depends on the revisions of its preview. Throws REVISION_CONFLICT if a stage has another one now. */
export async function saveAsPreviewed(save: () => Promise<unknown>): Promise<void> {
  try {
    await save()
  } catch (error) {
    if (!hasCode(error, 'REVISION_CONFLICT')) throw error
    throw new PageError(
      'REVISION_CONFLICT',
      'Nothing was saved: somebody changed a stage in between. The list shows how it is now; look at it again.',
      { cause: error },
    )
  }
}
