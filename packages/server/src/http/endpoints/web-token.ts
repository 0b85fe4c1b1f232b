import type { Handler } from '../handler.ts'
import { externalSignIn, type Services } from '../services.ts'

export const webToken =
  (services: Services): Handler<'webToken'> =>
  ({ body: { callback, ...proof } }) =>
    externalSignIn(services).finish(callback, proof)
