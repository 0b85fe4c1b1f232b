import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const restore =
  ({ writer, restores }: Services): Handler<'restore'> =>
  ({ caller, body, requestId }) =>
    writer.write(addressOf(caller, body), actorOf(caller, requestId), restores.change(body))
