import type { EvaluatedVariable } from '@rollkey/contract'
import { largeBytes, TimeSlices } from '../../concurrency/time-slices.ts'
import type { Handler } from '../handler.ts'
import { JsonText } from '../reply.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const evaluateBatch =
  ({ evaluation }: Services): Handler<'evaluateBatch'> =>
  async (context) => {
    const { body } = context
    const { context: shared } = body
    const entries = shared ? body.entries.map((entry) => ({ context: shared, ...entry })) : body.entries
    const results = await evaluation.evaluateBatch(stageRefOf(context, body), entries, context)
    const characters = results.reduce((sum, { value }) => sum + value.length, 0)
    return characters > largeBytes ? new JsonText('{"results":[', await textOf(results), ']') : { results }
  }

/** Returns the results as pieces of JSON. Equal results share a piece, so a batch that repeats a value takes little memory. */
async function textOf(results: readonly EvaluatedVariable[]): Promise<Buffer[]> {
  const known = new Map<string, Buffer>()
  const pieces: Buffer[] = []
  const comma = Buffer.from(',')
  const slices = new TimeSlices()
  for (const result of results) {
    const { decision, step, rule, name } = result
    const key = [decision, step, rule, name].join(' ')
    const piece = known.get(key) ?? Buffer.from(JSON.stringify(result))
    known.set(key, piece)
    if (pieces.length > 0) pieces.push(comma)
    pieces.push(piece)
    if (slices.isOver) await slices.next()
  }
  return pieces
}
