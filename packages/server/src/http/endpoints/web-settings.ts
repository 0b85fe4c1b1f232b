import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const webSettings =
  ({ publicUrl, web }: Services): Handler<'webSettings'> =>
  () =>
    web.provider === 'embedded'
      ? { provider: 'embedded', publicUrl, signUp: web.signUp, passkeys: web.passkeys }
      : { provider: 'outside', publicUrl, signIn: web.signIn !== undefined }
