import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import type { Rooms } from './rooms.ts'

export const tokenCreate =
  ({ serviceTokens }: Rooms): Handler<'tokenCreate'> =>
  ({ caller, body, requestId }) =>
    serviceTokens.create(actorOf(caller, requestId), body)
