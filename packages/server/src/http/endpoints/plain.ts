import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const plain =
  ({ stages, reveal }: Services): Handler<'plain'> =>
  async ({ caller, body, reads }) =>
    reveal.plain(await stages.find(stageRefOf(caller, body), reads))
