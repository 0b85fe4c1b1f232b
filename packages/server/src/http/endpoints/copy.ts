import type { Handler } from '../handler.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const copy =
  ({ writer, copies }: Services): Handler<'copy'> =>
  ({ caller, body, actor }) => {
    const change = copies.change(addressOf(caller, body.from), body)
    return writer.write(addressOf(caller, body.to), actor, change)
  }
