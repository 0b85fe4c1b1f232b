import type { Handler } from '../funnel.ts'
import { JsonText } from '../reply.ts'
import { chargedTo } from './actor.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const pull =
  ({ evaluation }: Rooms): Handler<'pull'> =>
  async ({ caller, body, requestKey, claims, reserve }) => {
    const { members, revision } = await evaluation.pull(
      addressOf(caller, body),
      body,
      chargedTo(caller, requestKey),
      claims,
      reserve,
    )
    return new JsonText('{"variables":{', members, `},"revision":${revision}`)
  }
