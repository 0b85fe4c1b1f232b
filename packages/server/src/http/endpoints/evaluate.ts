import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const evaluate =
  ({ evaluation }: Services): Handler<'evaluate'> =>
  (context) =>
    evaluation.evaluate(stageRefOf(context, context.body), context.body, context)
