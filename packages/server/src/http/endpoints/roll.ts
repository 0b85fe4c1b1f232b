import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const roll =
  ({ writer, rollChanges }: Services): Handler<'roll'> =>
  async (context) => {
    const { body, actor, reads } = context
    const { revision } = await writer.write(stageRefOf(context, body), actor, rollChanges.change(body), reads.arrivedAt)
    return { revision }
  }
