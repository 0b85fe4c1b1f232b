import { changeCallerOf, seesPlain } from '../change-caller.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'
import { stageRefOf } from '../stage-ref.ts'

export const changeShow =
  ({ changes, authentication }: Services): Handler<'changeShow'> =>
  (context) => {
    const { body } = context
    const isPlainSeen = seesPlain(context, body, authentication)
    return changes.show(changeCallerOf(context), stageRefOf(context, body), body.id, isPlainSeen)
  }
