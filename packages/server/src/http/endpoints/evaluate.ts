import type { Evaluated } from '@rollkey/contract'
import type { Handler } from '../funnel.ts'
import { chargedTo } from '../../auth/actor.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const evaluate =
  ({ evaluation }: Services): Handler<'evaluate'> =>
  async ({ caller, body, requestKey, reads, reserve }) => {
    const [result] = await evaluation.evaluate(
      addressOf(caller, body),
      [body],
      chargedTo(caller, requestKey),
      reads,
      reserve,
    )
    return result as Evaluated
  }
