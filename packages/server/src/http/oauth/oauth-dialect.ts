/** The answers of OAuth 2.0 (RFC 6749, section 5). */
import { errors, type ErrorCode } from '@rollkey/contract'
import type { ApiError } from '../../base/api-error.ts'
import { OAuthError } from '../../trusts/oauth-error.ts'
import type { Dialect } from '../dialect.ts'
import { sendJson, sendPlainJson } from '../reply.ts'

const codes: Partial<Record<ErrorCode, string>> = {
  RATE_LIMITED: 'temporarily_unavailable',
  SERVICE_UNAVAILABLE: 'temporarily_unavailable',
  INTERNAL: 'server_error',
}

/** Returns a description of the characters that the standard allows: printable ASCII without the quotation mark and the backslash. */
function describe(message: string): string {
  return message
    .replaceAll('…', '...')
    .replaceAll('"', "'")
    .replace(/[^ -[\]-~]/g, '?')
}

function bodyOf(apiError: ApiError): object {
  const error = apiError instanceof OAuthError ? apiError.error : (codes[apiError.code] ?? 'invalid_request')
  return { error, error_description: describe(apiError.message) }
}

export const oauthDialect: Dialect = {
  send: sendPlainJson,
  sendError(context, apiError) {
    const { status } = errors[apiError.code]
    sendJson(context, status, Object.entries(apiError.headers).flat(), bodyOf(apiError))
  },
}
