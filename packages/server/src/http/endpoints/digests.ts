import type { Handler } from '../handler.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const digests =
  ({ stages, digests: room }: Services): Handler<'digests'> =>
  async ({ caller, body, reads }) =>
    room.of(await stages.find(addressOf(caller, body), reads))
