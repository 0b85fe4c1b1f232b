/** Sign-in of the web application. */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../rules/limits.ts'
import type { Endpoint } from './endpoint.ts'

/** Fields that tie the end of a sign-in to its start (OpenID Connect Core 1.0, section 3.1; PKCE: RFC 7636). */
const signInProof = {
  state: z.string().describe('State of the authorization request'),
  nonce: z.string().describe('Nonce of the id token'),
  codeVerifier: z.string().describe('PKCE code verifier'),
}

const publicUrl = z.url().describe('Address at which people reach the service')

export const web = {
  /** Shows whether this service signs people in itself or through an external provider. */
  webSettings: {
    method: 'GET',
    path: '/v1/web/settings',
    summary: 'Show how people sign in to the web application',
    auth: 'none',
    verb: 'none',
    request: z.object({}),
    bodyBytes: 0,
    response: () =>
      z.discriminatedUnion('provider', [
        z.object({
          provider: z.literal('embedded').describe('The service signs people in'),
          publicUrl,
          signUp: z.enum(['invitation', 'open']).describe('Who may create an account'),
          passkeys: z.boolean().describe('Whether passkeys work at the public URL'),
          companies: z
            .array(
              z.object({
                name: z.string().describe('Name of the provider in settings and addresses'),
                label: z.string().describe('Name that people see'),
                groups: z
                  .boolean()
                  .describe('Whether the provider reports the groups of people, so that groups can stand for them'),
              }),
            )
            .describe('OpenID providers at which people can sign in'),
          isSetUp: z.boolean().describe('Whether there is an account; otherwise the setup link creates the first one'),
          mailsResets: z
            .boolean()
            .optional()
            .describe('Whether people can have a link mailed that sets a new password; absent: no'),
          isDemo: z
            .boolean()
            .optional()
            .describe('Whether this is a demo, whose data is lost when the service stops; absent: no'),
        }),
        z.object({
          provider: z.literal('external').describe('An external OpenID provider signs people in'),
          publicUrl,
          signIn: z.boolean().describe('Whether the web application is configured as a client of the provider'),
          groups: z
            .boolean()
            .describe('Whether the provider reports the groups of people, so that groups can stand for them'),
        }),
      ]),
    errors: [],
  },
  /** Starts an authorization code flow with PKCE (RFC 7636). The page keeps the verifier. */
  webSignIn: {
    method: 'POST',
    path: '/v1/web/sign-in',
    summary: 'Start a sign-in at the external provider; the answer has the address for the browser',
    auth: 'none',
    verb: 'none',
    request: z.object({
      confirm: z.boolean().optional().describe('Whether the person must have signed in recently; absent: no'),
    }),
    bodyBytes: limits.webBodyBytes,
    response: () => z.object({ url: z.url().describe('Address of the provider for the browser'), ...signInProof }),
    errors: ['NOT_FOUND'],
  },
  /** Completes the flow that `webSignIn` started. */
  webToken: {
    method: 'POST',
    path: '/v1/web/token',
    summary: 'Finish a sign-in at the external provider: exchange its authorization code for a token',
    auth: 'none',
    verb: 'none',
    request: z.object({
      callback: z.string().describe('Parameters of the redirect back from the provider, form-encoded'),
      ...signInProof,
    }),
    bodyBytes: limits.webBodyBytes,
    response: () =>
      z.object({
        token: z.string().describe('Provider token'),
        expiresAtMs: field.timeMs.describe('When the token expires, Unix time in milliseconds'),
        name: z.string().optional().describe('Name of the person; absent if the provider gives none'),
      }),
    errors: ['UNAUTHORIZED', 'NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>
