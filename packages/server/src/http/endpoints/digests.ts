import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const digests =
  ({ stages, digests: service }: Services): Handler<'digests'> =>
  async ({ caller, body, reads }) =>
    service.list(await stages.find(stageRefOf(caller, body), reads))
