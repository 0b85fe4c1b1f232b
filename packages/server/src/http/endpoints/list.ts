import { isLargeStage } from '../../stages/stages.ts'
import { listVariables } from '../../variables/list.ts'
import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const list =
  ({ stages, lastEvaluations }: Services): Handler<'list'> =>
  async (context) => {
    const stage = await stages.find(stageRefOf(context, context.body), context.reads)
    if (isLargeStage(stage)) await context.takeTurn()
    return listVariables(stage, await lastEvaluations.list(stage))
  }
