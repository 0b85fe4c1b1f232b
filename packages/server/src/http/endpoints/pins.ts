import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const pins =
  ({ reveal }: Services): Handler<'pins'> =>
  (context) =>
    reveal.pins(stageRefOf(context, context.body), context.actor, context.body.name)
