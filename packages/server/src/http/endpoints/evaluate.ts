import type { Evaluated } from '@rollkey/contract'
import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const evaluate =
  ({ evaluation }: Services): Handler<'evaluate'> =>
  async (context) => {
    const { body } = context
    const [result] = await evaluation.evaluate(stageRefOf(context, body), [body], context)
    return result as Evaluated
  }
