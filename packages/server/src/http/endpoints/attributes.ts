import { changeOfAttributes } from '../../variables/changes/attributes.ts'
import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const attributes =
  ({ writer }: Services): Handler<'attributes'> =>
  async (context) => {
    const { body, actor, reads } = context
    const { revision } = await writer.write(stageRefOf(context, body), actor, changeOfAttributes(body), reads.arrivedAt)
    return { revision }
  }
