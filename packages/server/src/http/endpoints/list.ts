import { list as listOf } from '../../variables/list.ts'
import type { Handler } from '../funnel.ts'
import { addressOf } from './address.ts'
import type { Rooms } from './rooms.ts'

export const list =
  ({ stages }: Rooms): Handler<'list'> =>
  ({ caller, body, claims }) =>
    listOf(stages, addressOf(caller, body), claims)
