import { changeCallerOf, sourceOf } from '../change-caller.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'
import { stageRefOf } from '../stage-ref.ts'

export const changePropose =
  ({ changes }: Services): Handler<'changePropose'> =>
  (context) => {
    const { body } = context
    const copyFrom = sourceOf(context, body)
    return changes.propose(changeCallerOf(context), stageRefOf(context, body), { ...body, copyFrom })
  }
