import type { Handler } from '../funnel.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const history =
  ({ history: room }: Rooms): Handler<'history'> =>
  async ({ caller, body, claims }) => ({ changes: await room.of(addressOf(caller, body), body, claims) })
