import type { Handler } from '../funnel.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const rollCounts =
  ({ rollCounts: room }: Rooms): Handler<'rollCounts'> =>
  async ({ caller, body, claims }) => ({ hours: await room.of(addressOf(caller, body), body, claims) })
