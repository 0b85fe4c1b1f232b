import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const restore =
  ({ writer, restores }: Rooms): Handler<'restore'> =>
  ({ caller, body, requestId }) =>
    writer.write(addressOf(caller, body), actorOf(caller, requestId), restores.change(body))
