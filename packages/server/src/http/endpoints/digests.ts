import type { Handler } from '../funnel.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const digests =
  ({ digests: room }: Services): Handler<'digests'> =>
  ({ caller, body, reads }) =>
    room.of(addressOf(caller, body), reads)
