/** The answers of OFREP 0.3.0 (https://github.com/open-feature/protocol). */
import { errors, type ErrorCode } from '@rollkey/contract'
import type { ApiError } from '../../base/api-error.ts'
import { SeedRequired } from '../../evaluation/evaluate.ts'
import type { Dialect } from '../dialect.ts'
import { sendJson, sendPlainJson } from '../reply.ts'
import { keyOf, targetingKeyMissing } from './flag-request.ts'
import { OfrepError, type OfrepErrorCode } from './ofrep-error.ts'

const codes: Partial<Record<ErrorCode, OfrepErrorCode>> = { VARIABLE_NOT_FOUND: 'FLAG_NOT_FOUND' }

/** Returns the error as OFREP names it. All statuses have the same body, of which clients read what they know. */
function failureOf(apiError: ApiError): { errorCode: OfrepErrorCode; errorDetails: string } {
  if (apiError instanceof SeedRequired) return { errorCode: 'TARGETING_KEY_MISSING', errorDetails: targetingKeyMissing }
  const errorCode = apiError instanceof OfrepError ? apiError.errorCode : (codes[apiError.code] ?? 'GENERAL')
  return { errorCode, errorDetails: apiError.message }
}

export const ofrepDialect: Dialect = {
  send: sendPlainJson,
  sendError(context, apiError) {
    const { status } = errors[apiError.code]
    const key = keyOf(context)
    const named = key === undefined ? {} : { key }
    sendJson(context, status, Object.entries(apiError.headers).flat(), { ...named, ...failureOf(apiError) })
  },
}
