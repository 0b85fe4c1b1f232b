import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const rollCounts =
  ({ stages, rollCounts: service }: Services): Handler<'rollCounts'> =>
  async ({ caller, body, reads }) => {
    const stage = await stages.find(stageRefOf(caller, body), reads)
    return { hours: await service.list(stage, body) }
  }
