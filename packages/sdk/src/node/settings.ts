import { RollkeyError } from '../errors.ts'
import { findProjectFile, readProjectFile, type ProjectFields, type SettingName } from './project-file.ts'

/** Such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

export interface Setting {
  readonly value: string
  /** For people: `flag --stage`, `environment ROLLKEY_STAGE`, the path of a rollkey.json, or `default`. */
  readonly source: string
}

/** Each setting and where it comes from; undefined if nothing says it. */
export interface Settings {
  /** Without a slash at its end. */
  readonly url: Setting
  readonly org: Setting | undefined
  readonly project: Setting | undefined
  readonly stage: Setting | undefined
  /** Whether a rollkey.json that was found is all that names the address; a token needs more than that to be sent there. */
  readonly isUrlOfFile: boolean
  /** Sentences about files that were found and not used. */
  readonly notices: readonly string[]
}

export interface SettingSources {
  /** What a command line was told; it wins over everything else. */
  readonly flags?: ProjectFields | undefined
  readonly env?: Environment | undefined
  /** Where the search for rollkey.json begins. */
  readonly cwd?: string | undefined
  /** A project file to use instead of searching for one; its address counts like one of a flag. */
  readonly config?: string | undefined
}

const defaultUrl = 'http://localhost:8787'

/** Flags win over the environment, that over rollkey.json. Throws INVALID_SETTING. */
export function resolveSettings({
  flags = {},
  env = process.env,
  cwd = process.cwd(),
  config,
}: SettingSources = {}): Settings {
  const notices: string[] = []
  const file =
    config === undefined ? findProjectFile(cwd, (notice) => notices.push(notice)) : readProjectFile(config, cwd)
  const givenOf = (name: SettingName): Setting | undefined => {
    const variable = `ROLLKEY_${name.toUpperCase()}`
    return asSetting(flags[name], `flag --${name}`) ?? asSetting(env[variable], `environment ${variable}`)
  }
  const settingOf = (name: SettingName): Setting | undefined =>
    givenOf(name) ?? asSetting(file?.fields[name], file?.path ?? '')
  const { value, source } = settingOf('url') ?? { value: defaultUrl, source: 'default' }
  const url = { value: serviceUrl(value, source), source }
  return {
    url,
    org: settingOf('org'),
    project: settingOf('project'),
    stage: settingOf('stage'),
    isUrlOfFile: config === undefined && givenOf('url') === undefined && url.value !== defaultUrl,
    notices,
  }
}

/** One that is empty is a mistake, such as of `--stage "$STAGE"`: what comes after it may be another stage. */
function asSetting(value: string | undefined, source: string): Setting | undefined {
  if (value === undefined) return undefined
  if (value.trim() === '') {
    throw new RollkeyError('INVALID_SETTING', `${source}: a setting is empty. Give it a value, or leave it out.`)
  }
  return { value, source }
}

/** The address in the one form that sessions are kept under. The text may have a password in it, so no error quotes it. */
export function serviceUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new RollkeyError(
      'INVALID_SETTING',
      `${source}: the address of the service must be like https://rollkey.example.com, without user, query or fragment.`,
    )
  }
  return url.href.replace(/\/+$/, '')
}
