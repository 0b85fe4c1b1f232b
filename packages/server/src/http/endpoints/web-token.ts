import type { Handler } from '../funnel.ts'
import { outsideSignIn, type Rooms } from './rooms.ts'

export const webToken =
  (rooms: Rooms): Handler<'webToken'> =>
  ({ body: { callback, ...proof } }) =>
    outsideSignIn(rooms).finish(callback, proof)
