import { PageError, hasCode } from '../../service/errors.ts'

/** Saves what depends on the revisions of its preview. Throws REVISION_CONFLICT if a stage has another one now. */
export async function saveAsPreviewed<Result>(save: () => Promise<Result>): Promise<Result> {
  try {
    return await save()
  } catch (error) {
    if (!hasCode(error, 'REVISION_CONFLICT')) throw error
    throw new PageError(
      'REVISION_CONFLICT',
      'Nothing was saved, because someone changed a stage in the meantime. Check the list again.',
      { cause: error },
    )
  }
}
