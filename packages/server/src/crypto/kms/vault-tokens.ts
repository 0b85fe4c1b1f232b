/** Authentication of the service at Vault. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { askJson, inTime, type Answer } from './ask.ts'
import { kmsTrouble, troubleOf } from './kms-error.ts'

const longestPauseMs = 24 * 60 * 60_000
const pauseAfterFailureMs = 60_000

const authenticated = z.object({ auth: z.object({ client_token: z.string(), lease_duration: z.number() }) })

export interface VaultService {
  /** Name of the KMS, for messages. */
  readonly kms: string
  readonly address: string
  readonly patienceMs: number
}

export interface Tokens {
  current(signal: AbortSignal): Promise<string>
  /** Returns a replacement for a refused token; undefined if there is none. */
  afterRefusal(signal: AbortSignal): Promise<string | undefined>
}

interface VaultQuestion {
  readonly token?: string
  readonly body: object
  readonly signal: AbortSignal
  readonly patienceMs: number
}

export function askVault(address: string, path: string, { token, ...question }: VaultQuestion): Promise<Answer> {
  // X-Vault-Request protects against server-side request forgery: a request that someone made the service send lacks it.
  const headers = { 'x-vault-request': 'true', ...(token !== undefined && { 'x-vault-token': token }) }
  return askJson(`${address}/v1/${path}`, { ...question, headers })
}

/** A token from a setting. The service renews it while it runs: with data keys in memory, requests rarely use it. */
export class GivenToken implements Tokens {
  readonly #service: VaultService
  readonly #token: string
  #isKept = false

  constructor(service: VaultService, token: string) {
    this.#service = service
    this.#token = token
  }

  async current(): Promise<string> {
    if (!this.#isKept) void this.#renew()
    this.#isKept = true
    return this.#token
  }

  async afterRefusal(): Promise<undefined> {
    return undefined
  }

  async #renew(): Promise<void> {
    const { kms, address, patienceMs } = this.#service
    const answer = await inTime(kms, patienceMs, (signal) =>
      askVault(address, 'auth/token/renew-self', { token: this.#token, body: {}, signal, patienceMs }),
    ).catch(() => undefined)
    // A token that cannot be renewed is used until it expires.
    if (answer?.status === 400 || answer?.status === 403) return
    const seconds = authenticated.safeParse(answer?.body).data?.auth.lease_duration
    if (seconds === 0) return
    const pauseMs = seconds === undefined ? pauseAfterFailureMs : Math.min(seconds * 500, longestPauseMs)
    setTimeout(() => void this.#renew(), pauseMs).unref()
  }
}

/** Logs in with the service account of the pod. Logs in again when a token is refused, because it may have expired. */
export class KubernetesLogin implements Tokens {
  readonly #service: VaultService
  readonly #role: string
  readonly #serviceAccountFile: string
  #token: string | undefined

  constructor(service: VaultService, role: string, serviceAccountFile: string) {
    this.#service = service
    this.#role = role
    this.#serviceAccountFile = serviceAccountFile
  }

  async current(signal: AbortSignal): Promise<string> {
    return this.#token ?? this.afterRefusal(signal)
  }

  async afterRefusal(signal: AbortSignal): Promise<string> {
    const { kms, address, patienceMs } = this.#service
    const jwt = await readFile(this.#serviceAccountFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw kmsTrouble(kms, 'stranger', `no Kubernetes service account: ${error.code}`, error)
    })
    const body = { role: this.#role, jwt: jwt.trim() }
    const { status, body: answer } = await askVault(address, 'auth/kubernetes/login', { body, signal, patienceMs })
    if (status !== 200) throw kmsTrouble(kms, status < 500 ? 'stranger' : troubleOf(status), `login: status ${status}`)
    const { success, data } = authenticated.safeParse(answer)
    if (!success) throw kmsTrouble(kms, 'nonsense', 'no token')
    return (this.#token = data.auth.client_token)
  }
}
