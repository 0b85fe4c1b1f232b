import { changeOfEntries } from '../../variables/changes/entries.ts'
import type { Handler } from '../handler.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const write =
  ({ writer }: Services): Handler<'write'> =>
  ({ caller, body, actor }) =>
    writer.write(addressOf(caller, body), actor, changeOfEntries(body))
