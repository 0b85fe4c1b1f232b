import type { Handler } from '../funnel.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const write =
  ({ writer }: Rooms): Handler<'write'> =>
  ({ caller, body }) =>
    writer.write(addressOf(caller, body), caller.userId, body)
