/** The wire contract, from which every other package derives. */
export { auditAction, type AuditAction, type AuditEntry } from './audit.ts'
export { declaredTypes, isOfDeclaredType, type DeclaredType } from './declared-types.ts'
export {
  endpoints,
  errorsOf,
  isScoped,
  type EndpointName,
  type Request,
  type Response,
  type Role,
} from './endpoints.ts'
export type { Endpoint } from './endpoints/endpoint.ts'
export type { ListedServiceToken, ServiceToken } from './endpoints/tokens.ts'
export { exportFormat, type Export } from './export.ts'
export { errors, type ErrorBody, type ErrorCode } from './errors.ts'
export { displayName, role, roles, userCodeAlphabet, userCodeFormat } from './fields.ts'
export { limits } from './limits.ts'
export { openapi } from './openapi.ts'
export type { Described, Digested, Evaluated, Kind, Listed, WriteEntry } from './variables.ts'
