/** The context of a command: settings, the service, output and prompts. */
import type { Client, Fetch } from '@rollkey/sdk'
import {
  connect,
  openCredentials,
  loadKeychain,
  resolveSettings,
  type Credentials,
  type Settings,
} from '@rollkey/sdk/node'
import { inWordsOfCommands, usage } from './cli-error.ts'
import { httpFetch } from './http-fetch.ts'
import type { Output } from './output.ts'
import type { Prompt } from './prompt.ts'

/** How a client sends requests, by default patiently: each several times, with 5 s for an answer. */
export interface Patience {
  /** Ends all requests of the client. */
  readonly signal?: AbortSignal
  readonly retry?: false
}

/** Target options. Each overrides its environment variable and rollkey.json. */
export interface TargetFlags {
  readonly url?: string
  readonly org?: string
  readonly project?: string
  readonly stage?: string
}

export interface ContextParts {
  readonly flags: TargetFlags
  /** A project file to use instead of searching for one. */
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
  /** A project file to use instead of searching for one. */
  readonly config: string | undefined
  /** Whether plain http to another machine is allowed. */
  readonly allowHttp: boolean
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly out: Output
  readonly prompt: Prompt
  /** Sends requests, through the proxy of the environment. */
  readonly fetch: Fetch
  #settings: Settings | undefined
  readonly #shown = new Set<string>()
  /** Shows each notice once, although settings are read for each client. */
  readonly #notify = (notice: string): void => {
    if (!this.#shown.has(notice)) this.out.warn(inWordsOfCommands(notice))
    this.#shown.add(notice)
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
    this.fetch = httpFetch(env)
  }

  /** The resolved settings. Throws INVALID_SETTING. */
  get settings(): Settings {
    if (!this.#settings) {
      const { flags, config, env, cwd } = this
      this.#settings = resolveSettings({ flags, config, env, cwd })
      for (const notice of this.#settings.notices) this.#notify(notice)
    }
    return this.#settings
  }

  /** Project and stage of the settings for people, such as `shop/dev`. */
  get where(): string {
    return `${this.settings.project?.value}/${this.settings.stage?.value}`
  }

  /** Opens the stored sessions. */
  async credentials(): Promise<Credentials> {
    return openCredentials({ env: this.env, keychain: await loadKeychain(this.env), onNotice: this.#notify })
  }

  /** Connects to the service, for commands that need no stage of the settings. What is passed overrides them. */
  service({ org, project, stage }: Omit<TargetFlags, 'url'> = {}, { signal, retry }: Patience = {}): Promise<Client> {
    const { flags, config, allowHttp, env, cwd, settings } = this
    return connect({
      flags,
      config,
      allowHttp,
      env,
      cwd,
      project: project ?? settings.project?.value ?? '',
      stage: stage ?? settings.stage?.value ?? '',
      ...(org !== undefined && { org }),
      cache: false,
      retry,
      fetch: signal ? endedBy(signal, this.fetch) : this.fetch,
      onNotice: this.#notify,
    })
  }

  /** Throws USAGE if the settings have no project or no stage. */
  expectStage(): void {
    for (const name of ['project', 'stage'] as const) {
      if (this.settings[name] === undefined) {
        throw usage(
          `No ${name} is set: add --${name}, set ROLLKEY_${name.toUpperCase()} or write it to rollkey.json`,
          'rollkey init',
        )
      }
    }
  }

  /** Connects to the stage of the settings. */
  async stage(patience?: Patience): Promise<Client> {
    this.expectStage()
    return this.service({}, patience)
  }
}

function endedBy(signal: AbortSignal, fetch: Fetch): Fetch {
  return (url, init) => fetch(url, { ...init, signal: AbortSignal.any([init.signal, signal]) })
}
