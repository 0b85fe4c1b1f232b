import type { Evaluated } from '@rollkey/contract'
import type { Handler } from '../handler.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const evaluate =
  ({ evaluation }: Services): Handler<'evaluate'> =>
  async (context) => {
    const { caller, body } = context
    const [result] = await evaluation.evaluate(addressOf(caller, body), [body], context)
    return result as Evaluated
  }
