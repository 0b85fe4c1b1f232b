import { openTrustedUrls, type Credentials, type SessionEntry } from '@rollkey/sdk/node'
import type { Answer } from '@rollkey/sdk'
import type { Context } from './context.ts'

/** For people: which credential commands use and where it is kept; never the credential. */
export async function credentialSource(context: Context): Promise<string> {
  const { env, settings } = context
  const variable = (['ROLLKEY_TOKEN', 'ROLLKEY_TOKEN_FILE'] as const).find((name) => env[name] !== undefined)
  if (variable !== undefined) {
    const isSent = !settings.isUrlOfFile || openTrustedUrls({ env }).list().includes(settings.url.value)
    return isSent ? `environment ${variable}` : `environment ${variable}, not sent to this address (rollkey trust-url)`
  }
  const credentials = await context.credentials()
  const sessions = credentials.list().filter(({ url }) => url === settings.url.value)
  if (sessions.length === 0) return 'none: rollkey login'
  return `login to ${sessions.map((session) => `${session.orgSlug}, kept in ${keeperOf(session, credentials)}`).join('; to ')}`
}

/** Where the tokens of a session are, which a keychain that fails may have decided. */
function keeperOf({ tokensIn }: SessionEntry, { file }: Credentials): string {
  return tokensIn === 'keychain' ? `the keychain of this system, listed in ${file}` : `the file ${file}`
}

/** Name and email, or the id where accounts are kept elsewhere. */
export function personText({ name, email, idpUserId = '' }: Omit<Answer<'whoami'>, 'requestId'>): string {
  return name !== undefined && email !== undefined ? `${name} <${email}>` : idpUserId
}
