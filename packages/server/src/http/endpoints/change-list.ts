import { changeCallerOf } from '../change-caller.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const changeList =
  ({ changes }: Services): Handler<'changeList'> =>
  (context) =>
    changes.list(changeCallerOf(context), context.body)
