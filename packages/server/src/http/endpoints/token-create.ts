import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const tokenCreate =
  ({ serviceTokens }: Services): Handler<'tokenCreate'> =>
  ({ body, actor }) =>
    serviceTokens.create(actor, body)
