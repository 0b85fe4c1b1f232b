/** Handlers of the sign-in to the web application. */
import type { Handlers } from '../handler.ts'
import { externalSignIn } from '../services.ts'

export const webHandlers = {
  webSettings: async ({ publicUrl, web }) =>
    web.provider === 'embedded'
      ? { ...web, publicUrl, isSetUp: await web.isSetUp() }
      : { provider: 'external', publicUrl, signIn: web.signIn !== undefined, groups: web.groups },
  webSignIn: (services, { body: { confirm } }) => externalSignIn(services).start(confirm === true),
  webToken: (services, { body: { callback, ...proof } }) => externalSignIn(services).finish(callback, proof),
} satisfies Partial<Handlers>
