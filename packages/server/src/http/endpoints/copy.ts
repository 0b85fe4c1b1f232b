import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const copy =
  ({ writer, copies }: Services): Handler<'copy'> =>
  ({ caller, body, actor }) => {
    const change = copies.change(stageRefOf(caller, body.from), body)
    return writer.write(stageRefOf(caller, body.to), actor, change)
  }
