import type { Handler } from '../funnel.ts'
import { chargedTo } from './actor.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const evaluateBatch =
  ({ evaluation }: Rooms): Handler<'evaluateBatch'> =>
  async ({ caller, body, requestKey, claims, reserve }) => ({
    results: await evaluation.evaluate(
      addressOf(caller, body),
      body.entries,
      chargedTo(caller, requestKey),
      claims,
      reserve,
    ),
  })
