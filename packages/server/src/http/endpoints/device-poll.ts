import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const devicePoll =
  ({ deviceCodes }: Rooms): Handler<'devicePoll'> =>
  async ({ body, requestId }) => {
    const pair = await deviceCodes.poll(body.deviceCode, requestId)
    return pair ? { status: 'approved', ...pair } : { status: 'pending' }
  }
