import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const history =
  ({ stages, history: service }: Services): Handler<'history'> =>
  async (context) => {
    const stage = await stages.find(stageRefOf(context, context.body), context.reads)
    return { changes: await service.list(stage, context.body) }
  }
