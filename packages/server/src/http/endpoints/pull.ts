import type { Handler } from '../handler.ts'
import { JsonText } from '../reply.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const pull =
  ({ evaluation }: Services): Handler<'pull'> =>
  async (context) => {
    const { body } = context
    const { members, revision, release } = await evaluation.pull(stageRefOf(context, body), body, context)
    return new JsonText('{"variables":{', members, `},"revision":${revision}`, [], release)
  }
