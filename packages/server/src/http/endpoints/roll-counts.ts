import type { Handler } from '../handler.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const rollCounts =
  ({ stages, rollCounts: service }: Services): Handler<'rollCounts'> =>
  async ({ caller, body, reads }) => {
    const stage = await stages.find(addressOf(caller, body), reads)
    return { hours: await service.of(stage, body) }
  }
