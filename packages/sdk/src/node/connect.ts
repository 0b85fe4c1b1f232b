import { createClient } from '../client.ts'
import { RollkeyError } from '../errors.ts'
import { serviceUrl } from '../service-url.ts'
import { trustTokens } from '../trust-tokens.ts'
import type { Client, ClientOptions, TokenSource } from '../types.ts'
import { openCredentials } from './credentials.ts'
import type { Environment } from './environment.ts'
import { tokenIn } from './environment-token.ts'
import { loadKeychain } from './keychain.ts'
import { idTokenSource } from './id-token.ts'
import { sessionTokens } from './session-tokens.ts'
import { openTrustedUrls } from './trusted-urls.ts'
import { resolveSettings, type Settings, type SettingSources } from './settings.ts'

/** Options of `connect`: those of `createClient`, and where settings come from. */
export interface ConnectOptions extends Partial<ClientOptions>, SettingSources {
  /** Receives a sentence if the keychain of the system cannot be used, or if a rollkey.json is ignored. @default none */
  readonly onNotice?: ((notice: string) => void) | undefined
}

/**
 * Creates a client from the options, the environment, rollkey.json and the login. The token is that of the environment, of the trust that
 * `ROLLKEY_TRUST` names, or of the session that `rollkey login` created. Without `org`, the organization is that of the token.
 *
 * @throws {RollkeyError} `INVALID_SETTING` if a setting is missing or malformed, `LOGIN_NEEDED` if there is no token,
 * `UNTRUSTED_URL` if there is a token and only rollkey.json names the address to send it to. Without `org`, also the errors of
 * `Client.whoami`.
 * @example
 * import { connect } from '@rollkey/sdk/node'
 *
 * const rollkey = await connect()
 * const apiKey = await rollkey.get('API_KEY')
 */
export async function connect({
  flags,
  env = process.env,
  cwd,
  config,
  onNotice,
  usesLogins,
  allowHttp = env['ROLLKEY_INSECURE_HTTP'] === '1',
  ...options
}: ConnectOptions = {}): Promise<Client> {
  const isGiven = options.token !== undefined || options.url !== undefined
  const settings = resolveSettings({ flags, env, cwd, config, usesLogins: isGiven ? false : usesLogins })
  for (const notice of settings.notices) onNotice?.(notice)
  const target = {
    allowHttp,
    url: options.url === undefined ? settings.url.value : serviceUrl(options.url, 'url'),
    project: options.project ?? requiredSetting(settings, 'project'),
    stage: options.stage ?? requiredSetting(settings, 'stage'),
  }
  const org = options.org ?? settings.org?.value
  const token = options.token ?? environmentToken(env) ?? platformTokens(env, { ...target, fetch: options.fetch })
  if (token !== undefined && options.url === undefined) assertTrusted(settings, env)
  if (token === undefined) {
    const isDefault = options.url === undefined && settings.url.source === 'default'
    return connectBySession({ ...options, ...target }, org, { env, onNotice, isDefault })
  }
  if (org !== undefined) return createClient({ ...options, ...target, org, token })
  const client = createClient({ ...options, ...target, org: '', token })
  return client.at({ org: (await client.whoami()).orgSlug })
}

/**
 * Throws UNTRUSTED_URL if only rollkey.json names the address. Otherwise anyone who can change rollkey.json could have the
 * token sent to their server. A login needs no such check, since it is stored per address.
 */
function assertTrusted({ isUrlOfFile, url }: Settings, env: Environment): void {
  if (!isUrlOfFile || openTrustedUrls({ env }).list().includes(url.value)) return
  throw new RollkeyError(
    'UNTRUSTED_URL',
    `The token was not sent to ${url.value}: only ${url.source} names this address. Pass connect({ url }), ` +
      `set ROLLKEY_URL, or trust it once with rollkey trust-url ${url.value}.`,
  )
}

async function connectBySession(
  options: Omit<ClientOptions, 'org' | 'token'>,
  org: string | undefined,
  {
    env,
    onNotice,
    isDefault,
  }: Pick<ConnectOptions, 'env' | 'onNotice'> & {
    /** Whether nothing states an address, so that the default one is used. */
    readonly isDefault: boolean
  },
): Promise<Client> {
  const { url, allowHttp, fetch } = options
  const credentials = openCredentials({ env, keychain: await loadKeychain(env), onNotice })
  const session = await credentials.find(url, org)
  if (!session) {
    const at = isDefault ? `${url}, which is used because no address is set` : url
    const where = org === undefined ? at : `${org} at ${at}`
    const login = isDefault ? 'rollkey login --url URL' : 'rollkey login'
    throw new RollkeyError('LOGIN_NEEDED', `Not logged in to ${where}. Run ${login}, or set ROLLKEY_TOKEN.`)
  }
  const token = sessionTokens({ url, org: session.orgSlug, credentials, allowHttp, fetch })
  return createClient({ ...options, org: session.orgSlug, token })
}

function requiredSetting(settings: Settings, name: 'project' | 'stage'): string {
  const setting = settings[name]
  if (setting) return setting.value
  const variable = `ROLLKEY_${name.toUpperCase()}`
  throw new RollkeyError(
    'INVALID_SETTING',
    `No ${name} is set. Pass connect({ ${name} }), set ${variable}, or write it to rollkey.json (rollkey init).`,
  )
}

/** Returns the token of the environment. One in a file is read for each request, since the mounted file may change. */
function environmentToken(env: Environment): ClientOptions['token'] | undefined {
  const token = tokenFromEnvironment(env)
  if (token === undefined || env['ROLLKEY_TOKEN'] !== undefined) return token
  return () => tokenFromEnvironment(env) ?? token
}

/** Returns the tokens of the trust that `ROLLKEY_TRUST` names, for the ID token of the platform. */
function platformTokens(
  env: Environment,
  { url, allowHttp, fetch }: Pick<ClientOptions, 'url' | 'allowHttp' | 'fetch'>,
): TokenSource | undefined {
  const { ROLLKEY_TRUST: trust } = env
  if (trust === undefined) return undefined
  return trustTokens({ url, trust, idToken: idTokenSource({ env, audience: url, fetch }), allowHttp, fetch })
}

/**
 * Returns `ROLLKEY_TOKEN`, or the content of the file that `ROLLKEY_TOKEN_FILE` names, or undefined.
 *
 * @throws {RollkeyError} `INVALID_SETTING` if the token is empty or the file cannot be read.
 * @example
 * const token = tokenFromEnvironment()
 */
export function tokenFromEnvironment(env: Environment = process.env): string | undefined {
  return tokenIn(env, 'ROLLKEY_TOKEN')
}
