import { listVariables } from '../../variables/list.ts'
import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const list =
  ({ stages }: Services): Handler<'list'> =>
  async (context) =>
    listVariables(await stages.find(stageRefOf(context, context.body), context.reads))
