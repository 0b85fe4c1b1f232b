import { Problem } from '../../service/problem.ts'

/** Waits for something to end. Ignores that someone else ended it first. */
export async function ended(request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'NOT_FOUND') throw error
  }
}
