import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const restore =
  ({ writer, restores }: Services): Handler<'restore'> =>
  ({ caller, body, actor }) =>
    writer.write(stageRefOf(caller, body), actor, restores.change(body))
