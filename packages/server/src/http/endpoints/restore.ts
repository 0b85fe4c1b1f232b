import type { Handler } from '../handler.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const restore =
  ({ writer, restores }: Services): Handler<'restore'> =>
  ({ caller, body, actor }) =>
    writer.write(addressOf(caller, body), actor, restores.change(body))
