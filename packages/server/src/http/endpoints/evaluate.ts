import type { Evaluated } from '@rollkey/contract'
import type { Handler } from '../funnel.ts'
import { chargedTo } from './actor.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const evaluate =
  ({ evaluation }: Rooms): Handler<'evaluate'> =>
  async ({ caller, body, requestKey, claims, reserve }) => {
    const [result] = await evaluation.evaluate(
      addressOf(caller, body),
      [body],
      chargedTo(caller, requestKey),
      claims,
      reserve,
    )
    return result as Evaluated
  }
