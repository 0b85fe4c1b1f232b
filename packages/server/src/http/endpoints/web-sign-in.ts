import type { Handler } from '../funnel.ts'
import { externalSignIn, type Services } from './services.ts'

export const webSignIn =
  (services: Services): Handler<'webSignIn'> =>
  ({ body: { confirm } }) =>
    externalSignIn(services).start(confirm === true)
