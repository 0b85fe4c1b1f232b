/** The wire contract: what every other package derives from. */
export { declaredTypes, isOfDeclaredType, type DeclaredType } from './declared-types.ts'
export { endpoints, errorsOf, type Endpoint, type EndpointName, type Request, type Response } from './endpoints.ts'
export { errors, type ErrorBody, type ErrorCode } from './errors.ts'
export { userCodeAlphabet, userCodeFormat } from './fields.ts'
export { limits } from './limits.ts'
export { openapi } from './openapi.ts'
export type { Described, Evaluated, Kind, Listed, WriteEntry } from './variables.ts'
