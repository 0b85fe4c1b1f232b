import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const webSettings =
  ({ publicUrl, web }: Rooms): Handler<'webSettings'> =>
  () =>
    web.provider === 'embedded'
      ? { provider: 'embedded', publicUrl, signUp: web.signUp, passkeys: web.passkeys }
      : { provider: 'outside', publicUrl, signIn: web.signIn !== undefined }
