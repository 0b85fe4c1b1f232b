import { changeCallerOf } from '../change-caller.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'
import { stageRefOf } from '../stage-ref.ts'

export const changeResume =
  ({ ramps }: Services): Handler<'changeResume'> =>
  (context) =>
    ramps.resume(changeCallerOf(context), stageRefOf(context, context.body), context.body.id)
