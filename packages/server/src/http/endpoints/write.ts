import { changeOfEntries } from '../../variables/changes/entries.ts'
import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const write =
  ({ writer }: Services): Handler<'write'> =>
  ({ caller, body, actor }) =>
    writer.write(stageRefOf(caller, body), actor, changeOfEntries(body))
