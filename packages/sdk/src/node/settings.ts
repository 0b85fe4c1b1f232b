import { RollkeyError } from '../errors.ts'
import { serviceUrl } from '../service-url.ts'
import { configFolder } from './config-folder.ts'
import type { Environment } from './environment.ts'
import { findProjectFile, readProjectFile, type ProjectFields, type SettingName } from './project-file.ts'
import { readSessionFile, sessionFileIn } from './session-file.ts'

/** The value of a setting and its source. */
export interface Setting {
  /** The value, never empty. */
  readonly value: string
  /** Source as a text for people: `flag --stage`, `environment ROLLKEY_STAGE`, the path of a rollkey.json, `login` or `default`. */
  readonly source: string
}

/** The settings and their sources. A setting that no source has is undefined. */
export interface Settings {
  /** Address of the service, without a trailing slash. @default http://localhost:8787 */
  readonly url: Setting
  /** Slug of the organization. */
  readonly org: Setting | undefined
  /** Slug of the project. */
  readonly project: Setting | undefined
  /** Slug of the stage. */
  readonly stage: Setting | undefined
  /** Whether the address comes only from a rollkey.json that was found. If so, it receives no token of the environment. */
  readonly isUrlOfFile: boolean
  /** Sentences about files that were found but ignored. */
  readonly notices: readonly string[]
}

/** The sources of settings. */
export interface SettingSources {
  /** Flags of a command line. They win over everything else. @default {} */
  readonly flags?: ProjectFields | undefined
  /** Environment variables: `ROLLKEY_URL`, `_ORG`, `_PROJECT` and `_STAGE`. @default process.env */
  readonly env?: Environment | undefined
  /** Folder where the search for rollkey.json begins. @default process.cwd() */
  readonly cwd?: string | undefined
  /** A project file to use. Its address is as trusted as that of a flag. @default the nearest one, from `cwd` upward */
  readonly config?: string | undefined
  /**
   * Whether the logins of this user say where the service is, if nothing else does. @default true, unless the environment has a token
   * or a trust
   */
  readonly usesLogins?: boolean | undefined
}

const defaultUrl = 'http://localhost:8787'

/**
 * Resolves the settings. Flags win over the environment, the environment wins over rollkey.json, and rollkey.json wins over the login,
 * which states the address and the organization.
 *
 * @throws {RollkeyError} `INVALID_SETTING` if a setting is empty, if a file or the address is malformed, or if only logins to several
 * services could state the address.
 * @example
 * const { url, stage } = resolveSettings({ flags: { stage: 'dev' } })
 */
export function resolveSettings({
  flags = {},
  env = process.env,
  cwd = process.cwd(),
  config,
  usesLogins = ['ROLLKEY_TOKEN', 'ROLLKEY_TOKEN_FILE', 'ROLLKEY_TRUST'].every((name) => env[name] === undefined),
}: SettingSources = {}): Settings {
  const notices: string[] = []
  const file =
    config === undefined ? findProjectFile(cwd, (notice) => notices.push(notice)) : readProjectFile(config, cwd)
  const explicitSetting = (name: SettingName): Setting | undefined => {
    const variable = `ROLLKEY_${name.toUpperCase()}`
    return asSetting(flags[name], `flag --${name}`) ?? asSetting(env[variable], `environment ${variable}`)
  }
  const settingOf = (name: SettingName): Setting | undefined =>
    explicitSetting(name) ?? asSetting(file?.fields[name], file?.path ?? '')
  const stated = settingOf('url')
  const login = stated === undefined && usesLogins ? loginOf(env) : undefined
  const { value, source } = stated ?? login?.url ?? { value: defaultUrl, source: 'default' }
  const url = { value: serviceUrl(value, source), source }
  return {
    url,
    org: settingOf('org') ?? login?.org,
    project: settingOf('project'),
    stage: settingOf('stage'),
    isUrlOfFile: config === undefined && source === file?.path && url.value !== defaultUrl,
    notices,
  }
}

/** Returns where this user is logged in. Throws INVALID_SETTING if that is at several addresses. */
function loginOf(env: Environment): Pick<Settings, 'url' | 'org'> | undefined {
  const logins = readSessionFile(sessionFileIn(configFolder(env)))
  const [login] = logins
  if (!login) return undefined
  const urls = new Set(logins.map(({ url }) => url))
  if (urls.size > 1) {
    throw new RollkeyError(
      'INVALID_SETTING',
      `You are logged in to ${[...urls].join(', ')}: choose one with connect({ url }), ROLLKEY_URL or rollkey.json.`,
    )
  }
  const source = 'login'
  return { url: { value: login.url, source }, org: logins.length === 1 ? { value: login.orgSlug, source } : undefined }
}

/** Returns a setting. Throws if it is empty, such as `--stage "$STAGE"`: the next source may name another stage. */
function asSetting(value: string | undefined, source: string): Setting | undefined {
  if (value === undefined) return undefined
  if (value.trim() === '') {
    throw new RollkeyError('INVALID_SETTING', `${source}: a setting is empty. Give it a value, or leave it out.`)
  }
  return { value, source }
}
