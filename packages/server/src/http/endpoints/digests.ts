import type { Handler } from '../funnel.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const digests =
  ({ digests: room }: Rooms): Handler<'digests'> =>
  ({ caller, body, claims }) =>
    room.of(addressOf(caller, body), claims)
