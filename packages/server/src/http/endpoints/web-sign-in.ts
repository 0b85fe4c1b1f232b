import type { Handler } from '../handler.ts'
import { externalSignIn, type Services } from '../services.ts'

export const webSignIn =
  (services: Services): Handler<'webSignIn'> =>
  ({ body: { confirm } }) =>
    externalSignIn(services).start(confirm === true)
