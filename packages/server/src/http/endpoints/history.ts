import type { Handler } from '../funnel.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const history =
  ({ history: room }: Services): Handler<'history'> =>
  async ({ caller, body, reads }) => ({ changes: await room.of(addressOf(caller, body), body, reads) })
