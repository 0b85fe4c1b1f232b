/** What a command works with: settings, the service, where to write and whom to ask. */
import type { Client } from '@rollkey/sdk'
import {
  connect,
  openCredentials,
  loadKeychain,
  resolveSettings,
  type Credentials,
  type Settings,
} from '@rollkey/sdk/node'
import { usage } from './cli-error.ts'
import { httpFetch } from './http-fetch.ts'
import type { Output } from './output.ts'
import type { Prompt } from './prompt.ts'

/** The options that say where: each wins over its variable of the environment and over rollkey.json. */
export interface TargetFlags {
  readonly url?: string
  readonly org?: string
  readonly project?: string
  readonly stage?: string
}

export interface ContextParts {
  readonly flags: TargetFlags
  /** A project file to use in place of the one that is found. */
  readonly config: string | undefined
  /** Whether plain http to another machine is allowed. */
  readonly allowHttp: boolean
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly out: Output
  readonly prompt: Prompt
}

export class Context {
  readonly flags: TargetFlags
  /** A project file to use in place of the one that is found. */
  readonly config: string | undefined
  /** Whether plain http to another machine is allowed. */
  readonly allowHttp: boolean
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly out: Output
  readonly prompt: Prompt
  #settings: Settings | undefined
  readonly #told = new Set<string>()
  /** Each notice once, although settings are read for each client. */
  readonly #tell = (notice: string): void => {
    if (!this.#told.has(notice)) this.out.warn(notice)
    this.#told.add(notice)
  }

  constructor({ flags, config, allowHttp, env, cwd, stdin, out, prompt }: ContextParts) {
    this.flags = flags
    this.config = config
    this.allowHttp = allowHttp
    this.env = env
    this.cwd = cwd
    this.stdin = stdin
    this.out = out
    this.prompt = prompt
  }

  /** Throws INVALID_SETTING. */
  get settings(): Settings {
    if (!this.#settings) {
      const { flags, config, env, cwd } = this
      this.#settings = resolveSettings({ flags, config, env, cwd })
      for (const notice of this.#settings.notices) this.#tell(notice)
    }
    return this.#settings
  }

  /** Project and stage of the settings, for people: `shop/dev`. */
  get where(): string {
    return `${this.settings.project?.value}/${this.settings.stage?.value}`
  }

  /** Where sessions are kept. */
  async credentials(): Promise<Credentials> {
    return openCredentials({ env: this.env, keychain: await loadKeychain(this.env), onNotice: this.#tell })
  }

  /** The service, for what needs no stage; `org` wins over the settings. */
  service({ org }: { org?: string } = {}): Promise<Client> {
    const { flags, config, allowHttp, env, cwd, settings } = this
    const place = { project: settings.project?.value ?? '', stage: settings.stage?.value ?? '' }
    return connect({
      flags,
      config,
      allowHttp,
      env,
      cwd,
      ...place,
      ...(org !== undefined && { org }),
      cache: false,
      fetch: httpFetch,
      onNotice: this.#tell,
    })
  }

  /** The stage that the settings name. */
  stage(): Promise<Client> {
    for (const name of ['project', 'stage'] as const) {
      if (this.settings[name] === undefined) {
        throw usage(
          `No ${name} is set: give --${name}, set ROLLKEY_${name.toUpperCase()} or write it to rollkey.json`,
          'rollkey init',
        )
      }
    }
    return this.service()
  }
}
