/** The client of Rollkey, for Node, Bun, Deno, Workers and browsers. */
export type {
  Context,
  DeclaredType,
  Exposure,
  Json,
  Kind,
  Labels,
  Pins,
  TargetingRule,
  Value,
} from '@rollkey/contract/rules'
export { createClient } from './client.ts'
export { loginByDevice, refreshTokens, type DeviceCode, type LoginOptions, type TokenPair } from './device.ts'
export type { Management } from './management.ts'
export { RollkeyError, type RollkeyErrorCode, type RollkeyErrorDetails } from './errors.ts'
export { nearest } from './nearest.ts'
export { trustTokens, type TrustTokensOptions } from './trust-tokens.ts'
export type {
  CacheOptions,
  Client,
  ClientOptions,
  CopyOptions,
  GetOptions,
  Inspection,
  InspectOptions,
  Local,
  LocalListeners,
  LocalOptions,
  PullResult,
  RestoreOptions,
  RetryOptions,
  Roll,
  Snapshot,
  StageChange,
  StageRef,
  TokenSource,
  WatchOptions,
  Write,
} from './types.ts'
export type { Fetch, FetchInit, FetchReply } from './transport.ts'
// With a star, or the declarations of users could not add to `Variables`.
export type * from './variables.ts'
export type * from './wire.ts'
