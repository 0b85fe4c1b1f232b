import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const devicePoll =
  ({ deviceCodes }: Rooms): Handler<'devicePoll'> =>
  async ({ body }) => {
    const pair = await deviceCodes.poll(body.deviceCode)
    return pair ? { status: 'approved', ...pair } : { status: 'pending' }
  }
