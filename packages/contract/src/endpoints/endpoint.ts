/** The type of a row of the API, and parts that many rows share. */
import { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import * as field from '../fields.ts'
import type { Verb } from '../rules/access.ts'
import { limits } from '../rules/limits.ts'
import { stopVerbs } from '../rules/protection.ts'

/**
 * Which credentials an endpoint accepts. `caller`: a provider token, an access token or, within its scope, a service token. `person`:
 * a member with one of the first two. `owner`: an owner, likewise. `provider`: only a provider token. `session`: only an access token.
 * `none`: anyone.
 */
type Auth = 'caller' | 'owner' | 'person' | 'provider' | 'session' | 'none'

/** A row of the API. */
export interface Endpoint {
  /** HTTP method. A GET has a query, a POST has a body. */
  readonly method: 'GET' | 'POST'
  /** Path of the URL, without parameters. */
  readonly path: `/v1/${string}`
  /** The method of the SDK's `manage`, such as `changes.pause`. @default none */
  readonly manage?: string
  /** What a call does: one imperative sentence without a period. */
  readonly summary: string
  /** Which credentials it accepts. */
  readonly auth: Auth
  /** What the caller must be allowed to do, at the place that the request names (docs/access.md). `none`: nothing. */
  readonly verb: Verb | 'none'
  /**
   * Another place where the verb is needed. `parent`: around the place that the request names. `any`: anywhere, and the answer has
   * only those places; for `list`, it may be empty. @default what the request names, or the organization
   */
  readonly at?: 'parent' | 'any'
  /** Whether each call is one billing event. @default false */
  readonly metered?: true
  /** Whether repeated calls with one `x-service-request-key` have one effect, as those of metered endpoints. @default false */
  readonly keyed?: true
  /** Whether the answer has an `ETag`, and is a 304 if `If-None-Match` names it (RFC 9110, section 13.1.2). @default false */
  readonly hasEtag?: true
  /** Whether a read costs the service many times what others do. It has a separate rate limit. @default false */
  readonly expensive?: true
  /** Whether the call changes data of the organization. A read-only service token may not make it. @default false */
  readonly changes?: true
  /**
   * Whether a call that is sent again neither acts twice nor is refused, as a second creation or deletion is. Without it, clients send the
   * call once if its answer is lost. @default false, except for a GET and the verbs `list` and `read`
   */
  readonly repeatable?: true
  /**
   * Whether the call writes variables of a stage directly. A protected stage may require that they are proposed and approved instead,
   * and may be frozen. @default false
   */
  readonly writesVariables?: true
  /** Whether the call reads or restores former states. A service token needs `history` for it. @default false */
  readonly history?: true
  /**
   * Whether the person must have signed in, or have confirmed with a password or passkey, in the last 15 minutes. A command-line
   * session cannot. @default false
   */
  readonly confirmation?: true
  /** Whether the answer is a stream of server-sent events. `response` is the shape of their data. @default false */
  readonly streams?: true
  /** A POST's JSON body, or a GET's query. */
  readonly request: z.ZodType
  /** Maximum size of a body, in bytes. */
  readonly bodyBytes: number
  /** Returns the body of a 200, to which every endpoint adds `requestId`. The service describes it in its documents and never checks it. */
  readonly response: () => z.ZodType
  /** The error codes that are specific to the endpoint. `errorsOf` adds those that every request may receive. */
  readonly errors: readonly ErrorCode[]
}

/** The answer of a write: names by change, and the new revision. */
export const written = z
  .object({
    created: z.array(field.name).describe('Names of the variables that the change created'),
    updated: z.array(field.name).describe('Names of the variables that existed and were written'),
    deleted: z.array(field.name).describe('Names of the variables that the change deleted'),
    revision: field.revision,
  })
  .meta({ id: 'Written', description: 'Names of the variables that a write changed, and the new revision' })

/** What a protected stage requires of changes. */
export const protection = z
  .object({
    approvals: z
      .number()
      .int()
      .min(0)
      .max(limits.approvals)
      .describe('Number of people who must approve a change, 0 to 10; 0: writes need no approval'),
    selfApproval: z.boolean().describe('Whether the one who proposed a change can be one of them'),
    bypassRole: field.accessRole
      .nullable()
      .describe(
        'Role whose verbs at the stage let a person apply a change without approvals, with a reason; null: no one may',
      ),
    stopVerb: z
      .enum(stopVerbs)
      .describe('Verb that lets people and machines stop a roll without approval, also in a freeze'),
    freezes: field.freezes,
  })
  .meta({ id: 'Protection', description: 'What a protected stage requires of changes' })

/** Returns the fields of a protection, which can be absent. */
export function optionalProtection(absent: string) {
  const { approvals, selfApproval, bypassRole, stopVerb, freezes } = protection.shape
  return {
    approvals: approvals.optional().describe(`${approvals.description}; absent: ${absent}`),
    selfApproval: selfApproval.optional().describe(`${selfApproval.description}; absent: ${absent}`),
    bypassRole: bypassRole.optional().describe(`${bypassRole.description}; absent: ${absent}`),
    stopVerb: stopVerb.optional().describe(`${stopVerb.description}; absent: ${absent}`),
    freezes: freezes.optional().describe(`${freezes.description}; absent: ${absent}`),
  }
}

export const writeErrors = ['REVISION_CONFLICT', 'USAGE_LIMIT_EXCEEDED'] as const

/** The fields of a stage reference. */
export const stage = { orgSlug: field.orgSlug, projectSlug: field.projectSlug, stageSlug: field.stageSlug }
/** A stage of the organization. */
export const stageOfOrg = z
  .object({ projectSlug: field.projectSlug, stageSlug: field.stageSlug })
  .describe('A stage of the organization')
  .meta({ id: 'StageSlugs' })

export const ok = z
  .object({ ok: z.literal(true).describe('Always true, since errors have another status') })
  .meta({ id: 'Ok', description: 'The request was fulfilled' })
