/** Settings that are allowed and seldom meant. */
import { acceptsAnyAudience } from '../config.ts'
import { installationKey } from '../storage/keys.ts'
import { fail, ok, warn, type Checks } from './finding.ts'

export const settingChecks: Checks = {
  'removed members': ({ config: { IDP_ISSUER, IDP_MEMBERSHIP_URL } }) => {
    if (IDP_ISSUER === undefined || IDP_MEMBERSHIP_URL !== undefined) return ok('lose access at once')
    return warn('keep their sessions: nobody is asked whether they are members', 'Set ROLLKEY_IDP_MEMBERSHIP_URL.')
  },
  'web sign-in': ({ config: { IDP_ISSUER, IDP_CLIENT_ID } }) => {
    if (IDP_ISSUER === undefined || IDP_CLIENT_ID !== undefined) return ok('possible')
    return warn('nobody can sign in to the web application', 'Set ROLLKEY_IDP_CLIENT_ID.')
  },
  'token audience': ({ config }) => {
    if (config.IDP_ISSUER === undefined) return undefined
    if (!acceptsAnyAudience(config)) return ok('tokens for other applications are refused')
    return fail(
      'tokens that the provider issues to any other application are accepted',
      'Set ROLLKEY_IDP_CLIENT_ID, ROLLKEY_IDP_AUDIENCE or ROLLKEY_IDP_AUTHORIZED_PARTIES.',
    )
  },
  'sign-up': ({ config: { IDP_ISSUER, SIGN_UP } }) => {
    if (IDP_ISSUER !== undefined) return undefined
    if (SIGN_UP === 'invitation') return ok('by invitation')
    return warn('whoever reaches the service may create an account and an organization', 'ROLLKEY_SIGN_UP=invitation')
  },
  'web pages of others': ({ config: { CORS_ORIGINS } }) => {
    if (!CORS_ORIGINS.includes('*')) return ok(CORS_ORIGINS.join(', ') || 'none')
    return warn('any may call the service, with a token that it has', 'Name those that do in ROLLKEY_CORS_ORIGINS.')
  },
  'log level': ({ config: { LOG_LEVEL } }) => {
    if (LOG_LEVEL === 'info') return ok(LOG_LEVEL)
    const why = LOG_LEVEL === 'debug' ? 'a line for each request' : 'checkpoints of the audit log are not logged'
    return warn(`${LOG_LEVEL}: ${why}`, 'ROLLKEY_LOG_LEVEL=info')
  },
  'audit log': ({ config: { AUDIT_REQUIRED } }) => {
    if (AUDIT_REQUIRED === 'yes') return ok('what cannot be noted is not done')
    return warn('what people do at the embedded provider may go unnoted', 'ROLLKEY_AUDIT_REQUIRED=yes')
  },
  'other master key': async ({ config: { PREVIOUS_MASTER_KEY, PREVIOUS_KMS_URL }, sql, openKeyring }) => {
    if ((PREVIOUS_MASTER_KEY ?? PREVIOUS_KMS_URL) === undefined || !sql || !(await installationKey(sql)))
      return undefined
    const { masterKey, dataKeys } = await (await openKeyring(sql)).wrapping()
    const left = Object.keys(dataKeys).filter((name) => name !== masterKey)
    if (left.length === 0)
      return warn('is needed no more', 'Start without ROLLKEY_PREVIOUS_MASTER_KEY or ROLLKEY_PREVIOUS_KMS_URL.')
    return warn('a change of the master key is under way', 'key-rotate finishes it.')
  },
}
