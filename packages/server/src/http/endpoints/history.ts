import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const history =
  ({ stages, history: service }: Services): Handler<'history'> =>
  async ({ caller, body, reads }) => {
    const stage = await stages.find(stageRefOf(caller, body), reads)
    return { changes: await service.list(stage, body) }
  }
