import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const reveal =
  ({ reveal: room }: Services): Handler<'reveal'> =>
  ({ caller, body, requestId }) =>
    room.show(addressOf(caller, body), actorOf(caller, requestId), body.names)
