import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const reveal =
  ({ reveal: service }: Services): Handler<'reveal'> =>
  ({ caller, body, actor }) =>
    service.show(stageRefOf(caller, body), actor, body.names)
