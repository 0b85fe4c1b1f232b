import type { Handler } from '../funnel.ts'
import type { Services } from './services.ts'

export const devicePoll =
  ({ deviceCodes }: Services): Handler<'devicePoll'> =>
  async ({ body, requestId }) => {
    const pair = await deviceCodes.poll(body.deviceCode, requestId)
    return pair ? { status: 'approved', ...pair } : { status: 'pending' }
  }
