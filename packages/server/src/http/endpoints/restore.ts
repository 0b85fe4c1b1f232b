import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const restore =
  ({ writer, restores }: Services): Handler<'restore'> =>
  (context) =>
    writer.write(stageRefOf(context, context.body), context.actor, restores.change(context.body))
