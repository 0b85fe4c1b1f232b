import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const digests =
  ({ stages, digests: service }: Services): Handler<'digests'> =>
  async (context) =>
    service.list(await stages.find(stageRefOf(context, context.body), context.reads))
