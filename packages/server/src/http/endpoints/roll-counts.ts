import type { Handler } from '../funnel.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const rollCounts =
  ({ rollCounts: room }: Services): Handler<'rollCounts'> =>
  async ({ caller, body, reads }) => ({ hours: await room.of(addressOf(caller, body), body, reads) })
