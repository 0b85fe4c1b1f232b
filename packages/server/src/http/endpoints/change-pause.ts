import { changeCallerOf } from '../change-caller.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'
import { stageRefOf } from '../stage-ref.ts'

export const changePause =
  ({ ramps }: Services): Handler<'changePause'> =>
  (context) =>
    ramps.pause(changeCallerOf(context), stageRefOf(context, context.body), context.body.id)
