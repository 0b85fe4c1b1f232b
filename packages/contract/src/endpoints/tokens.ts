/** Service tokens, and the owner of a credential. */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../limits.ts'
import { ok, type Endpoint } from './endpoint.ts'

/** A service token (docs/api.md, "Service tokens") without the token itself. */
const serviceToken = z.object({
  id: field.tokenId,
  name: field.tokenName,
  projectSlug: field.projectSlug.optional().describe('The only project in its scope'),
  stageSlug: field.stageSlug.optional().describe('The only stage in its scope'),
  readOnly: z.boolean(),
  history: z.boolean().describe('Whether it may read the history and, unless it is read-only, restore'),
  createdBy: z.string().describe('Id of the user who created it at the identity provider, or operator'),
  createdAtMs: field.timeMs,
  expiresAtMs: field.timeMs,
  lastUsedAtMs: field.timeMs.optional().describe('Absent if it was never used; may lag by a few seconds'),
})

/** A service token with the status of its creator. */
const listedToken = serviceToken.extend({
  creator: z
    .enum(['member', 'left', 'operator', 'unknown'])
    .describe('Whether its creator is still a member; unknown if the identity provider cannot be reached'),
})

export const tokens = {
  /** Shows whose credential a request has, and what it may do. */
  whoami: {
    method: 'GET',
    path: '/v1/whoami',
    summary: 'Show the owner and the rights of the credential',
    auth: 'caller',
    request: z.object({}),
    bodyBytes: 0,
    response: z.object({
      credential: z.enum(['provider', 'session', 'service']),
      orgId: z.string(),
      orgSlug: z.string(),
      idpUserId: z.string().optional().describe('Absent for a service token'),
      role: field.role.optional().describe('Absent for a service token'),
      name: z.string().optional().describe('Of the caller, if the embedded provider stores accounts'),
      email: z.string().optional().describe('Of the caller, if the embedded provider stores accounts'),
      serviceToken: serviceToken.optional(),
    }),
    errors: [],
  },
  /** Creates a service token. The service stores only a hash of it. */
  tokenCreate: {
    method: 'POST',
    path: '/v1/tokens/create',
    summary: 'Create a service token; only this answer contains it',
    auth: 'admin',
    request: z
      .object({
        orgSlug: field.orgSlug,
        name: field.tokenName,
        projectSlug: field.projectSlug.optional(),
        stageSlug: field.stageSlug.optional(),
        readOnly: z.boolean().default(false),
        history: z.boolean().default(false).describe('Whether it may read the history and restore'),
        expiresInDays: z
          .number()
          .int()
          .min(1)
          .max(limits.serviceTokenDays)
          .optional()
          .describe('Default: 365, or the longest lifetime that the operator allows if that is less'),
      })
      .refine(({ projectSlug, stageSlug }) => stageSlug === undefined || projectSlug !== undefined, {
        message: 'must come with a projectSlug',
        path: ['stageSlug'],
      }),
    bodyBytes: limits.shortBodyBytes,
    response: serviceToken.extend({ token: z.string() }),
    errors: [],
  },
  /** Lists the service tokens that are valid, with their last use. */
  tokenList: {
    method: 'POST',
    path: '/v1/tokens/list',
    summary: 'List the service tokens of the organization that are neither revoked nor expired',
    auth: 'admin',
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.shortBodyBytes,
    response: z.object({ tokens: z.array(listedToken) }),
    errors: [],
  },
  /** Ends a service token from the next request on, on every node. */
  tokenRevoke: {
    method: 'POST',
    path: '/v1/tokens/revoke',
    summary: 'Revoke a service token at once',
    auth: 'admin',
    request: z.object({ orgSlug: field.orgSlug, id: field.tokenId }),
    bodyBytes: limits.shortBodyBytes,
    response: ok,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>

/** A service token, without the token itself. */
export type ServiceToken = z.output<typeof serviceToken>
/** A service token with the status of its creator. */
export type ListedServiceToken = z.output<typeof listedToken>
