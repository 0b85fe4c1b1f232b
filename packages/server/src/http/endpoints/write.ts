import { changeOfEntries } from '../../variables/changes/entries.ts'
import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const write =
  ({ writer }: Rooms): Handler<'write'> =>
  ({ caller, body, requestId }) =>
    writer.write(addressOf(caller, body), actorOf(caller, requestId), changeOfEntries(body))
