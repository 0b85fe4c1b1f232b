import { changeOfEntries } from '../../variables/changes/entries.ts'
import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const write =
  ({ writer }: Services): Handler<'write'> =>
  ({ caller, body, requestId }) =>
    writer.write(addressOf(caller, body), actorOf(caller, requestId), changeOfEntries(body))
