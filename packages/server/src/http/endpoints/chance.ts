import { changeOfChance } from '../../variables/changes/chance.ts'
import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const chance =
  ({ writer }: Rooms): Handler<'chance'> =>
  async ({ caller, body, requestId }) => {
    const change = changeOfChance(body)
    const { revision } = await writer.write(addressOf(caller, body), actorOf(caller, requestId), change)
    return { revision }
  }
