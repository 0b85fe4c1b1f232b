import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const devicePoll =
  ({ deviceCodes }: Services): Handler<'devicePoll'> =>
  async ({ body, requestId }) => {
    const pair = await deviceCodes.poll(body.deviceCode, requestId)
    return pair ? { status: 'approved', ...pair } : { status: 'pending' }
  }
