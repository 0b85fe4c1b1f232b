/** Client keys, with which web pages and mobile apps evaluate flags (docs/client-keys.md). */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../rules/limits.ts'
import { ok, type Endpoint } from './endpoint.ts'

const origins = z
  .array(field.origin)
  .max(limits.clientKeyOrigins)
  .refine(field.areDistinct, 'must name an origin only once')
  .describe('Origins whose web pages may use the key; * alone: all; empty: no web page, only apps')
const evaluationsPerMonth = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

/** A client key. */
const clientKey = z
  .object({
    id: field.keyId,
    name: field.keyName,
    projectSlug: field.projectSlug,
    stageSlug: field.stageSlug,
    origins,
    evaluationsPerMonth: evaluationsPerMonth.describe('Evaluations of a UTC month after which it is refused'),
    key: z.string().describe('The client key: svc_ck_…, which may be public'),
    createdBy: z.string().describe('Id of the user who created it at the identity provider'),
    createdAtMs: field.timeMs.describe('When it was created, Unix time in milliseconds'),
    lastUsedAtMs: field.timeMs
      .optional()
      .describe('When it was last used, Unix time in milliseconds, give or take some seconds; absent: never'),
  })
  .meta({ id: 'ClientKey', description: 'A client key' })

export const keys = {
  /** Creates a client key. One for a protected stage needs a fresh confirmation. */
  keyCreate: {
    method: 'POST',
    path: '/v1/keys/create',
    manage: 'keys.create',
    summary:
      'Create a client key, with which public programs evaluate the variables of a stage that are exposed to them',
    auth: 'person',
    verb: 'manage',
    request: z.object({
      orgSlug: field.orgSlug,
      name: field.keyName,
      projectSlug: field.projectSlug,
      stageSlug: field.stageSlug,
      origins,
      evaluationsPerMonth: evaluationsPerMonth
        .optional()
        .describe('Evaluations of a UTC month after which it is refused; absent: as many as the operator sets'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => clientKey,
    errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  },
  /** Lists the client keys of the stages that the person manages, with the keys themselves. */
  keyList: {
    method: 'POST',
    path: '/v1/keys/list',
    manage: 'keys.list',
    summary: 'List the client keys of the organization that are not revoked',
    auth: 'person',
    verb: 'manage',
    at: 'any',
    repeatable: true,
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        keys: z
          .array(
            clientKey
              .extend({
                evaluationsThisMonth: z
                  .number()
                  .int()
                  .describe('Evaluations of this UTC month, up to some seconds ago'),
              })
              .meta({ id: 'ListedClientKey', description: 'A client key and its use' }),
          )
          .describe('Oldest first'),
      }),
    errors: [],
  },
  /** Revokes a client key on every node, starting with the next request. */
  keyRevoke: {
    method: 'POST',
    path: '/v1/keys/revoke',
    manage: 'keys.revoke',
    summary: 'Revoke a client key at once',
    auth: 'person',
    verb: 'manage',
    at: 'any',
    request: z.object({ orgSlug: field.orgSlug, id: field.keyId }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>

/** A client key. */
export type ClientKey = z.output<typeof clientKey>
