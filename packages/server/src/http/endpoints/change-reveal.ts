import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'
import { stageRefOf } from '../stage-ref.ts'

export const changeReveal =
  ({ changes }: Services): Handler<'changeReveal'> =>
  async (context) => {
    const { body, actor } = context
    return { variables: await changes.reveal(actor, stageRefOf(context, body), body.id, body.names) }
  }
