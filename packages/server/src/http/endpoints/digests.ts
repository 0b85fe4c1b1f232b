import type { Handler } from '../handler.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const digests =
  ({ stages, digests: service }: Services): Handler<'digests'> =>
  async ({ caller, body, reads }) =>
    service.of(await stages.find(addressOf(caller, body), reads))
