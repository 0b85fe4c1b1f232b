import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const plainHistory =
  ({ stages, plainHistory: service }: Services): Handler<'plainHistory'> =>
  async (context) => {
    const { body, reads } = context
    const stage = await stages.find(stageRefOf(context, body), reads)
    return { changes: await service.list(stage, body, context) }
  }
