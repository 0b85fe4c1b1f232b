/** What a row of the API says, and what many rows share. */
import { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import * as field from '../fields.ts'

/**
 * Who may call: `caller` a provider token, a CLI access token or, as far as it goes, a service token; `admin` an owner or
 * admin of the organization by one of the first two; `person` a member by one of these; `provider` only the first, `session` only the second, `none` anybody.
 */
type Auth = 'caller' | 'admin' | 'person' | 'provider' | 'session' | 'none'

export interface Endpoint {
  readonly method: 'GET' | 'POST'
  readonly path: `/v1/${string}`
  readonly summary: string
  readonly auth: Auth
  /** Each call is one billing event. */
  readonly metered?: true
  /** A read that costs the service many times what others do: it has a separate rate limit. */
  readonly expensive?: true
  /** It changes what the caller's organization keeps: not for a read-only service token. */
  readonly changes?: true
  /** It looks at or brings back what was: for a service token only with `history`. */
  readonly history?: true
  /** Its answer is server-sent events, of whose data `response` is the shape. */
  readonly streams?: true
  /** A POST's JSON body, or a GET's query. */
  readonly request: z.ZodType
  /** Most bytes of a body. */
  readonly bodyBytes: number
  /** The body of a 200, to which every endpoint adds `requestId`. */
  readonly response: z.ZodType
  /** The codes of the endpoint's own story; what every request may meet is in `commonErrors`. */
  readonly errors: readonly ErrorCode[]
}

/** Names of what a write did. */
export const written = z.object({
  created: z.array(field.name),
  updated: z.array(field.name),
  deleted: z.array(field.name),
  revision: field.revision,
})

export const writeErrors = ['REVISION_CONFLICT', 'USAGE_LIMIT_EXCEEDED'] as const

/** Where a stage is. */
export const stage = { orgSlug: field.orgSlug, projectSlug: field.projectSlug, stageSlug: field.stageSlug }

export const ok = z.object({ ok: z.literal(true) })
