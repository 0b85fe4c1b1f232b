/** The answers of Vault's HTTP API (https://developer.hashicorp.com/vault/api-docs). */
import { errors, type ErrorCode } from '@rollkey/contract'
import type { ApiError } from '../../base/api-error.ts'
import { SeedRequired } from '../../evaluation/evaluate.ts'
import type { Dialect } from '../dialect.ts'
import { sendJson, sendPlainJson } from '../reply.ts'
import { vaultType } from './answer.ts'

/** Statuses that Vault's clients expect in place of those of the API. */
const statuses: Partial<Record<ErrorCode, number>> = { UNAUTHORIZED: 403, REVISION_CONFLICT: 400 }

export const rollRefused =
  'The variable is a roll, and its side depends on who asks or on chance, which this protocol cannot say: evaluate it by the API, the SDK or OFREP.'

/** Returns the sentences of an error. Clients recognize those of Vault, and take 404 without any for an absent secret. */
function sentencesOf(apiError: ApiError): string[] {
  if (apiError instanceof SeedRequired) return [rollRefused]
  switch (apiError.code) {
    case 'UNAUTHORIZED':
      return [
        'permission denied',
        'The token is missing, has expired or was revoked: send a service token or an access token as X-Vault-Token, or log in again.',
      ]
    case 'VARIABLE_NOT_FOUND':
      return []
    case 'REVISION_CONFLICT':
      return ['check-and-set parameter did not match the current version']
    default:
      return errors[apiError.code].status === 403 ? ['permission denied', apiError.message] : [apiError.message]
  }
}

export const vaultDialect: Dialect = {
  send: sendPlainJson,
  sendError(context, apiError) {
    const status = statuses[apiError.code] ?? errors[apiError.code].status
    sendJson(context, status, [...vaultType, ...Object.entries(apiError.headers).flat()], {
      errors: sentencesOf(apiError),
    })
  },
}
