import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const copy =
  ({ writer, copies }: Services): Handler<'copy'> =>
  (context) => {
    const { body, actor, reads } = context
    const change = copies.change(stageRefOf(context, body.from), body)
    return writer.write(stageRefOf(context, body.to), actor, change, reads.arrivedAt)
  }
