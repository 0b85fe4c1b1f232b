import type { Handler } from '../funnel.ts'
import { JsonText } from '../reply.ts'
import { chargedTo } from '../../auth/actor.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const pull =
  ({ evaluation }: Services): Handler<'pull'> =>
  async ({ caller, body, requestKey, reads, reserve }) => {
    const { members, revision } = await evaluation.pull(
      addressOf(caller, body),
      body,
      chargedTo(caller, requestKey),
      reads,
      reserve,
    )
    return new JsonText('{"variables":{', members, `},"revision":${revision}`)
  }
