import { Problem } from '../../service/problem.ts'

/** Waits for something to end. That somebody else was faster is no problem. */
export async function ended(request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'NOT_FOUND') throw error
  }
}
