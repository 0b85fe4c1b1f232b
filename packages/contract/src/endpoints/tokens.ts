/** Service tokens, and the owner of a credential. */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../rules/limits.ts'
import { ok, type Endpoint } from './endpoint.ts'

/** A service token (docs/api.md, "Service tokens") without the token itself. */
const serviceToken = z
  .object({
    id: field.tokenId,
    name: field.tokenName,
    projectSlug: field.projectSlug.optional().describe('The only project in its scope; absent: all'),
    stageSlug: field.stageSlug.optional().describe('The only stage in its scope; absent: all'),
    role: field.machineRole.describe('What it may do within its scope'),
    readOnly: z.boolean().describe('Whether it may not write'),
    history: z.boolean().describe('Whether it may read the history and, unless it is read-only, restore'),
    createdBy: z.string().describe('Id of the user who created it at the identity provider, or operator'),
    createdAtMs: field.timeMs.describe('When it was created, Unix time in milliseconds'),
    expiresAtMs: field.timeMs.describe('When it expires, Unix time in milliseconds'),
    lastUsedAtMs: field.timeMs
      .optional()
      .describe('When it was last used, Unix time in milliseconds, give or take some seconds; absent: never'),
  })
  .meta({ id: 'ServiceToken', description: 'A service token, without the token' })

/** A service token with the status of its creator. */
const listedToken = serviceToken
  .extend({
    formerExpiresAtMs: field.timeMs
      .optional()
      .describe(
        'When the former secret ends, which still works after a rotation, Unix time in milliseconds; absent: only one secret works',
      ),
    creator: z
      .enum(['member', 'left', 'operator', 'unknown'])
      .describe('Whether its creator is still a member; unknown if the identity provider cannot be reached'),
  })
  .meta({ id: 'ListedServiceToken', description: 'A service token and the status of its creator' })

const expiresInDays = z
  .number()
  .int()
  .min(1)
  .max(limits.serviceTokenDays)
  .optional()
  .describe('Lifetime in days; absent: 365, or the longest that the operator allows if that is less')
const newToken = z.string().describe('The service token: svc_st_…')

export const tokens = {
  /** Shows whose credential a request has, and what it may do. */
  whoami: {
    method: 'GET',
    path: '/v1/whoami',
    summary: 'Show the owner and the rights of the credential',
    auth: 'caller',
    verb: 'none',
    request: z.object({}),
    bodyBytes: 0,
    response: () =>
      z.object({
        credential: z
          .enum(['provider', 'session', 'service'])
          .describe('Kind of credential; service: a service token or a token of a trust'),
        orgId: z.string().describe('Id of the organization'),
        orgSlug: z.string().describe('Slug of the organization'),
        idpUserId: z.string().optional().describe('Id of the user at the identity provider; absent for a machine'),
        role: field.role.optional().describe('Role of the member; absent for a machine'),
        name: z
          .string()
          .optional()
          .describe('Name of the person; absent unless the embedded provider stores the account'),
        email: z
          .string()
          .optional()
          .describe('Email of the person; absent unless the embedded provider stores the account'),
        serviceToken: serviceToken
          .optional()
          .describe('The service token; absent for people and for a token of a trust'),
        trust: z
          .object({
            id: field.trustId,
            name: field.trustName,
            projectSlug: field.projectSlug.optional().describe('The only project in its scope; absent: all'),
            stageSlug: field.stageSlug.optional().describe('The only stage in its scope; absent: all'),
            role: field.machineRole.describe('What it may do within its scope'),
            history: z.boolean().describe('Whether it may read the history and, unless it is read-only, restore'),
            expiresAtMs: field.timeMs.describe('When the token expires, Unix time in milliseconds'),
          })
          .optional()
          .describe('The trust whose token it is; absent for other credentials'),
        verbs: z
          .array(
            z.object({
              projectSlug: field.projectSlug.optional().describe('Slug of the project; absent: the organization'),
              stageSlug: field.stageSlug.optional().describe('Slug of the stage; absent: the whole project'),
              verbs: field.verbs,
            }),
          )
          .describe(
            'What the credential may do: in the organization first, then at each project and stage where that differs from what is around it',
          ),
      }),
    errors: [],
  },
  /** Creates a service token. The service stores only a hash of it. One that reads a protected stage needs a fresh confirmation. */
  tokenCreate: {
    method: 'POST',
    path: '/v1/tokens/create',
    summary: 'Create a service token; only this answer contains it',
    auth: 'person',
    verb: 'manage',
    request: z
      .object({
        orgSlug: field.orgSlug,
        name: field.tokenName,
        projectSlug: field.projectSlug.optional().describe('The only project in its scope; absent: all'),
        stageSlug: field.stageSlug.optional().describe('The only stage in its scope; absent: all'),
        role: field.machineRole
          .optional()
          .describe('What it may do within its scope; absent: reader with readOnly, otherwise developer'),
        readOnly: z.boolean().optional().describe('Whether it may not write; not together with role; absent: no'),
        history: z.boolean().default(false).describe('Whether it may read the history and restore'),
        expiresInDays,
      })
      .refine(({ projectSlug, stageSlug }) => stageSlug === undefined || projectSlug !== undefined, {
        message: 'must come with a projectSlug',
        path: ['stageSlug'],
      })
      .refine(({ role, readOnly }) => role === undefined || readOnly === undefined, {
        message: 'must not come with readOnly',
        path: ['role'],
      }),
    bodyBytes: limits.shortBodyBytes,
    response: () => serviceToken.extend({ token: newToken }),
    errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  },
  /** Lists the service tokens that are valid, with their last use. */
  tokenList: {
    method: 'POST',
    path: '/v1/tokens/list',
    summary: 'List the service tokens of the organization that are neither revoked nor expired',
    auth: 'person',
    verb: 'manage',
    at: 'any',
    repeatable: true,
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.shortBodyBytes,
    response: () => z.object({ tokens: z.array(listedToken).describe('Oldest first') }),
    errors: [],
  },
  /** Issues another token with the same id and rights. The former one works for some time, so that it can be replaced without a gap. */
  tokenRotate: {
    method: 'POST',
    path: '/v1/tokens/rotate',
    summary: 'Replace the secret of a service token; only this answer contains the new one',
    auth: 'person',
    verb: 'manage',
    at: 'any',
    request: z.object({
      orgSlug: field.orgSlug,
      id: field.tokenId,
      overlapHours: z
        .number()
        .int()
        .min(0)
        .max(limits.rotationOverlapHours)
        .default(limits.rotationOverlapHoursByDefault)
        .describe('How long the former token keeps working, in hours'),
      expiresInDays,
    }),
    bodyBytes: limits.shortBodyBytes,
    response: () =>
      serviceToken.extend({
        token: newToken,
        formerExpiresAtMs: field.timeMs.describe('When the former token ends, Unix time in milliseconds'),
      }),
    errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  },
  /** Revokes a service token on every node, starting with the next request. */
  tokenRevoke: {
    method: 'POST',
    path: '/v1/tokens/revoke',
    summary: 'Revoke a service token at once',
    auth: 'person',
    verb: 'manage',
    at: 'any',
    request: z.object({ orgSlug: field.orgSlug, id: field.tokenId }),
    bodyBytes: limits.shortBodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>

/** A service token, without the token itself. */
export type ServiceToken = z.output<typeof serviceToken>
/** A service token with the status of its creator. */
export type ListedServiceToken = z.output<typeof listedToken>
