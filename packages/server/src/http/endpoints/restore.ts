import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const restore =
  ({ writer, restores }: Services): Handler<'restore'> =>
  (context) => {
    const { body, actor, reads } = context
    return writer.write(stageRefOf(context, body), actor, restores.change(body), reads.arrivedAt)
  }
