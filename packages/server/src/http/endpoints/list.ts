import { list as listOf } from '../../variables/list.ts'
import type { Handler } from '../funnel.ts'
import { addressOf } from './address.ts'
import type { Services } from './services.ts'

export const list =
  ({ stages }: Services): Handler<'list'> =>
  ({ caller, body, reads }) =>
    listOf(stages, addressOf(caller, body), reads)
