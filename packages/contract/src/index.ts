/** The wire contract, from which every other package derives. What needs no schemas is also in `@rollkey/contract/rules`. */
export { auditAction, auditFacts, type AuditAction, type AuditEntry, type AuditFacts } from './audit.ts'
export {
  endpoints,
  errorsOf,
  isRepeatable,
  isScoped,
  type EndpointName,
  type Request,
  type Response,
  type Role,
} from './endpoints.ts'
export type { DialectName } from './dialects.ts'
export type { Endpoint } from './endpoints/endpoint.ts'
export { declarationFields, declarationSchema, type ListedDeclaration } from './endpoints/declarations.ts'
export type { ListedServiceToken, ServiceToken } from './endpoints/tokens.ts'
export type { ClientKey } from './endpoints/keys.ts'
export type { Hook, HookDelivery } from './endpoints/hooks.ts'
export { hookEvent, hookEventTypes, passesFilter, type HookEvent, type HookEventType } from './hook-events.ts'
export { mailKinds, type MailKind } from './mails.ts'
export type { Trust, TrustTest } from './endpoints/trusts.ts'
export { exportFormat, type Export } from './export.ts'
export { errors, type ErrorBody, type ErrorCode } from './errors.ts'
export { displayName, role, roles, userCodeAlphabet, userCodeFormat } from './fields.ts'
export { openapi } from './openapi.ts'
export * from './rules/index.ts'
export type {
  DescribedVariable,
  DigestEntry,
  Digested,
  EvaluatedVariable,
  ListedVariable,
  VariableUpdate,
  RevealedEntry,
  WriteEntry,
} from './variables.ts'
