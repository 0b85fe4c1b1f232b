import { changeOfChance } from '../../variables/changes/attributes.ts'
import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const chance =
  ({ writer }: Services): Handler<'chance'> =>
  async (context) => {
    const { body, actor, reads } = context
    const change = changeOfChance(body)
    const { revision } = await writer.write(stageRefOf(context, body), actor, change, reads.arrivedAt)
    return { revision }
  }
