import { changeOfChance } from '../../variables/changes/chance.ts'
import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const chance =
  ({ writer }: Services): Handler<'chance'> =>
  async ({ caller, body, requestId }) => {
    const change = changeOfChance(body)
    const { revision } = await writer.write(addressOf(caller, body), actorOf(caller, requestId), change)
    return { revision }
  }
