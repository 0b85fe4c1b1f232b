import { userCodeFormat } from '@rollkey/contract'
import { Fault } from '../../base/fault.ts'
import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const deviceComplete =
  ({ deviceCodes }: Rooms): Handler<'deviceComplete'> =>
  async ({ caller, body }) => {
    if (!userCodeFormat.test(body.userCode)) throw new Fault('USER_CODE_INVALID')
    await deviceCodes.approve(body.userCode, caller)
    return { ok: true }
  }
