import type { Handler } from '../handler.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const reveal =
  ({ reveal: service }: Services): Handler<'reveal'> =>
  ({ caller, body, actor }) =>
    service.show(addressOf(caller, body), actor, body.names)
