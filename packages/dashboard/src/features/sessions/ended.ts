import { hasCode } from '../../service/errors.ts'

/** Waits for something to end. Ignores that someone else ended it first. */
export async function ended(request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch (error) {
    if (!hasCode(error, 'NOT_FOUND')) throw error
  }
}
