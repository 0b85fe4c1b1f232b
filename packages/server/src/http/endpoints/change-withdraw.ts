import { changeCallerOf } from '../change-caller.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'
import { stageRefOf } from '../stage-ref.ts'

export const changeWithdraw =
  ({ changes }: Services): Handler<'changeWithdraw'> =>
  async (context) => {
    await changes.withdraw(changeCallerOf(context), stageRefOf(context, context.body), context.body.id)
    return { ok: true }
  }
