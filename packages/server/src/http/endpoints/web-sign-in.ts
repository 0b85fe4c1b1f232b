import type { Handler } from '../funnel.ts'
import { outsideSignIn, type Rooms } from './rooms.ts'

export const webSignIn =
  (rooms: Rooms): Handler<'webSignIn'> =>
  ({ body: { confirm } }) =>
    outsideSignIn(rooms).start(confirm === true)
