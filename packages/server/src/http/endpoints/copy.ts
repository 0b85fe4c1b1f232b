import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const copy =
  ({ writer, copies }: Services): Handler<'copy'> =>
  ({ caller, body, requestId }) => {
    const change = copies.change(addressOf(caller, body.from), body)
    return writer.write(addressOf(caller, body.to), actorOf(caller, requestId), change)
  }
