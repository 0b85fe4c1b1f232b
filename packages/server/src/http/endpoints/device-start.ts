import { limits } from '@rollkey/contract'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const deviceStart =
  ({ deviceCodes, publicUrl }: Services): Handler<'deviceStart'> =>
  async ({ body, clientKey }) => {
    const { deviceCode, userCode } = await deviceCodes.start(body.clientName, clientKey)
    const verificationUri = `${publicUrl}/device`
    return {
      deviceCode,
      userCode,
      expiresInSec: limits.deviceCodeLifetimeSec,
      intervalSec: limits.deviceCodePollIntervalSec,
      verificationUri,
      // The code is in the fragment, which reaches no server and no log.
      verificationUriComplete: `${verificationUri}#user_code=${userCode}`,
    }
  }
