/**
 * A path outside `/v1` that speaks another standard than the API: its formats and its errors differ, while the order of checks, the
 * limits and the request id are the same.
 */
import type { DialectName, Endpoint } from '@rollkey/contract'
import type { ApiError } from '../base/api-error.ts'
import { send, sendError } from './reply.ts'
import type { RequestContext } from './request-context.ts'
import type { Identify } from './steps/authenticate.ts'
import type { Step } from './steps/step.ts'

/** How answers are written. */
export interface Dialect {
  send(context: RequestContext, answer: object): Promise<void> | void
  sendError(context: RequestContext, apiError: ApiError): void
}

/** The dialect of the API itself. */
export const apiDialect: Dialect = { send, sendError: (context, apiError) => sendError(context, apiError) }

/** Names of the paths of the Vault protocol, whose own document describes them. */
export type VaultName =
  | 'vaultHealth'
  | 'vaultList'
  | 'vaultLogin'
  | 'vaultMetadata'
  | 'vaultMounts'
  | 'vaultRead'
  | 'vaultReadOne'
  | 'vaultSubkeys'
  | 'vaultToken'
  | 'vaultUnknown'
  | 'vaultWrite'

export interface DialectRoute {
  /** The path, or a pattern of paths. Its named groups become the `params` of the request. */
  readonly path: string | RegExp
  /** Methods of requests to a pattern. Those with other methods go on to the next pattern. Absent: all. */
  readonly methods?: readonly string[]
  /** Name in `openapi.json`, logs and metrics. Those of the Vault protocol, and a path that no other route has, are not in the former. */
  readonly name: DialectName | VaultName | 'ofrepUnknown'
  readonly endpoint: Pick<Endpoint, 'method' | 'auth' | 'verb' | 'at' | 'changes' | 'errors' | 'expensive'>
  /** How the caller of a stream is identified again while it is open. Absent: anyone may call. */
  readonly identify?: Identify
  /** The checks, and the handler as the last step. */
  readonly steps: readonly Step[]
  readonly dialect: Dialect
}
