import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import type { Services } from './services.ts'

export const tokenCreate =
  ({ serviceTokens }: Services): Handler<'tokenCreate'> =>
  ({ caller, body, requestId }) =>
    serviceTokens.create(actorOf(caller, requestId), body)
