/** The checks of settings that are valid but rarely intended. */
import { operatorProgram } from '../base/shipped-files.ts'
import { acceptsAnyAudience } from '../config.ts'
import { installationKey } from '../storage/keys.ts'
import { fail, ok, warn, type Checks } from './finding.ts'

export const settingChecks: Checks = {
  'removed members': ({ config: { IDP_ISSUER, IDP_MEMBERSHIP_URL } }) => {
    if (IDP_ISSUER === undefined || IDP_MEMBERSHIP_URL !== undefined) return ok('lose access immediately')
    return warn('keep their sessions, because membership is never checked again', 'Set ROLLKEY_IDP_MEMBERSHIP_URL.')
  },
  'web sign-in': ({ config: { IDP_ISSUER, IDP_CLIENT_ID } }) => {
    if (IDP_ISSUER === undefined || IDP_CLIENT_ID !== undefined) return ok('possible')
    return warn('no one can sign in to the web application', 'Set ROLLKEY_IDP_CLIENT_ID.')
  },
  'token audience': ({ config }) => {
    if (config.IDP_ISSUER === undefined) return undefined
    if (!acceptsAnyAudience(config)) return ok('tokens for other applications are refused')
    return fail(
      'tokens that the provider issues to other applications are accepted',
      'Set ROLLKEY_IDP_CLIENT_ID, ROLLKEY_IDP_AUDIENCE or ROLLKEY_IDP_AUTHORIZED_PARTIES.',
    )
  },
  'sign-up': ({ config: { IDP_ISSUER, SIGN_UP } }) => {
    if (IDP_ISSUER !== undefined) return undefined
    if (SIGN_UP === 'invitation') return ok('by invitation')
    return warn(
      'anyone who reaches the service can create an account and an organization',
      'Set ROLLKEY_SIGN_UP=invitation.',
    )
  },
  'cors origins': ({ config: { CORS_ORIGINS } }) => {
    if (!CORS_ORIGINS.includes('*')) return ok(CORS_ORIGINS.join(', ') || 'none')
    return warn(
      'any website can call the API with a token that it has',
      'List the allowed origins in ROLLKEY_CORS_ORIGINS.',
    )
  },
  'log level': ({ config: { LOG_LEVEL } }) => {
    if (LOG_LEVEL === 'info') return ok(LOG_LEVEL)
    const why = LOG_LEVEL === 'debug' ? 'one line per request' : 'audit checkpoints are not logged'
    return warn(`${LOG_LEVEL}: ${why}`, 'Set ROLLKEY_LOG_LEVEL=info.')
  },
  'audit log': ({ config: { AUDIT_REQUIRED } }) => {
    if (AUDIT_REQUIRED === 'yes') return ok('required: an action that cannot be recorded is refused')
    return warn('not required: actions at the embedded provider may go unrecorded', 'Set ROLLKEY_AUDIT_REQUIRED=yes.')
  },
  'previous master key': async ({ config: { PREVIOUS_MASTER_KEY, PREVIOUS_KMS_URL }, sql, openKeyring }) => {
    if ((PREVIOUS_MASTER_KEY ?? PREVIOUS_KMS_URL) === undefined || !sql || !(await installationKey(sql)))
      return undefined
    const { masterKey, dataKeys } = await (await openKeyring(sql)).wrapping()
    const left = Object.keys(dataKeys).filter((name) => name !== masterKey)
    if (left.length === 0)
      return warn('no longer needed', 'Remove ROLLKEY_PREVIOUS_MASTER_KEY or ROLLKEY_PREVIOUS_KMS_URL, and restart.')
    return warn('the change of the master key is not finished', `Run ${operatorProgram} key rotate to finish it.`)
  },
}
