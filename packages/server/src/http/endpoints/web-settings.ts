import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const webSettings =
  ({ publicUrl, web }: Services): Handler<'webSettings'> =>
  async () =>
    web.provider === 'embedded'
      ? { ...web, publicUrl, isSetUp: await web.isSetUp() }
      : { provider: 'outside', publicUrl, signIn: web.signIn !== undefined, groups: web.groups }
