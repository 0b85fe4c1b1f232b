import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const reveal =
  ({ reveal: room }: Rooms): Handler<'reveal'> =>
  ({ caller, body, requestId }) =>
    room.show(addressOf(caller, body), actorOf(caller, requestId), body.names)
