import { changeOfEntries } from '../../variables/changes/entries.ts'
import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const write =
  ({ writer }: Services): Handler<'write'> =>
  (context) => {
    const { body, actor, reads } = context
    return writer.write(stageRefOf(context, body), actor, changeOfEntries(body), reads.arrivedAt)
  }
