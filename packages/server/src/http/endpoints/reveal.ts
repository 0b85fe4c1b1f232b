import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const reveal =
  ({ reveal: service }: Services): Handler<'reveal'> =>
  (context) =>
    service.show(stageRefOf(context, context.body), context.actor, context.body.names)
