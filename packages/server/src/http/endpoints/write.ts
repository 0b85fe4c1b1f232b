import { changeOfEntries } from '../../variables/changes/entries.ts'
import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const write =
  ({ writer }: Services): Handler<'write'> =>
  (context) =>
    writer.write(stageRefOf(context, context.body), context.actor, changeOfEntries(context.body))
