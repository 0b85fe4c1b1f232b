import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const rollCounts =
  ({ stages, rollCounts: service }: Services): Handler<'rollCounts'> =>
  async (context) => {
    const stage = await stages.find(stageRefOf(context, context.body), context.reads)
    return { hours: await service.list(stage, context.body) }
  }
