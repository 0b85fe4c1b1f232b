import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const trustTest =
  ({ trusts }: Services): Handler<'trustTest'> =>
  ({ body, permissions }) =>
    trusts.test({ permissions }, body)
