import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const plain =
  ({ stages, plainValues }: Services): Handler<'plain'> =>
  async (context) => {
    const { body, reads } = context
    return plainValues.list(await stages.find(stageRefOf(context, body), reads), context)
  }
