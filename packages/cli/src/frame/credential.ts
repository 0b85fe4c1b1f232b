import { openTrustedUrls, type Credentials, type SessionEntry } from '@rollkey/sdk/node'
import type { Answer } from '@rollkey/sdk'
import type { Context } from './context.ts'

/** Describes which credential commands use and where it is stored, never the credential itself. */
export async function credentialSource(context: Context): Promise<string> {
  const { env, settings } = context
  const variable = (['ROLLKEY_TOKEN', 'ROLLKEY_TOKEN_FILE', 'ROLLKEY_TRUST'] as const).find(
    (name) => env[name] !== undefined,
  )
  if (variable !== undefined) {
    const isSent = !settings.isUrlOfFile || openTrustedUrls({ env }).list().includes(settings.url.value)
    return isSent ? `environment ${variable}` : `environment ${variable}, not sent to this address (rollkey trust-url)`
  }
  const credentials = await context.credentials()
  const sessions = credentials.list().filter(({ url }) => url === settings.url.value)
  if (sessions.length === 0) return 'none: rollkey login'
  return `login to ${sessions.map((session) => `${session.orgSlug}, stored in ${storageOf(session, credentials)}`).join('; to ')}`
}

/** Describes where the tokens of a session are. They are in the file if the keychain failed when they were stored. */
function storageOf({ tokensIn }: SessionEntry, { file }: Credentials): string {
  return tokensIn === 'keychain' ? `the keychain of this system, listed in ${file}` : `the file ${file}`
}

/** Returns name and email, or the user id if the accounts are stored elsewhere. */
export function personText({ name, email, idpUserId = '' }: Omit<Answer<'whoami'>, 'requestId'>): string {
  return name !== undefined && email !== undefined ? `${name} <${email}>` : idpUserId
}
