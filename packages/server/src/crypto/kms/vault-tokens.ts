/** Authentication of the service at Vault. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { postJson, withTimeout, type KmsResponse } from './requests.ts'
import { kmsUnavailable, kmsErrorOfStatus } from './kms-error.ts'

const maxRenewIntervalMs = 24 * 60 * 60_000
const retryIntervalMs = 60_000

const authenticated = z.object({ auth: z.object({ client_token: z.string(), lease_duration: z.number() }) })

export interface VaultServer {
  /** Name of the KMS, for messages. */
  readonly kms: string
  readonly address: string
  readonly timeoutMs: number
}

export interface VaultTokens {
  current(signal: AbortSignal): Promise<string>
  /** Returns a replacement for a refused token; undefined if there is none. */
  afterRefusal(signal: AbortSignal): Promise<string | undefined>
}

interface VaultRequest {
  readonly token?: string
  readonly body: object
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

export function postToVault(address: string, path: string, { token, ...question }: VaultRequest): Promise<KmsResponse> {
  // X-Vault-Request protects against server-side request forgery: a request that someone made the service send lacks it.
  const headers = { 'x-vault-request': 'true', ...(token !== undefined && { 'x-vault-token': token }) }
  return postJson(`${address}/v1/${path}`, { ...question, headers })
}

/** A token from a setting. It is renewed on a timer: with data keys in memory, requests rarely use it. */
export class StaticToken implements VaultTokens {
  readonly #service: VaultServer
  readonly #token: string
  #isRenewing = false

  constructor(service: VaultServer, token: string) {
    this.#service = service
    this.#token = token
  }

  async current(): Promise<string> {
    if (!this.#isRenewing) void this.#renew()
    this.#isRenewing = true
    return this.#token
  }

  async afterRefusal(): Promise<undefined> {
    return undefined
  }

  async #renew(): Promise<void> {
    const { kms, address, timeoutMs } = this.#service
    const answer = await withTimeout(kms, timeoutMs, (signal) =>
      postToVault(address, 'auth/token/renew-self', { token: this.#token, body: {}, signal, timeoutMs }),
    ).catch(() => undefined)
    // A token that cannot be renewed is used until it expires.
    if (answer?.status === 400 || answer?.status === 403) return
    const seconds = authenticated.safeParse(answer?.body).data?.auth.lease_duration
    if (seconds === 0) return
    const intervalMs = seconds === undefined ? retryIntervalMs : Math.min(seconds * 500, maxRenewIntervalMs)
    setTimeout(() => void this.#renew(), intervalMs).unref()
  }
}

/** Logs in with the service account of the pod. Logs in again when a token is refused, because it may have expired. */
export class KubernetesLogin implements VaultTokens {
  readonly #service: VaultServer
  readonly #role: string
  readonly #serviceAccountFile: string
  #token: string | undefined

  constructor(service: VaultServer, role: string, serviceAccountFile: string) {
    this.#service = service
    this.#role = role
    this.#serviceAccountFile = serviceAccountFile
  }

  async current(signal: AbortSignal): Promise<string> {
    return this.#token ?? this.afterRefusal(signal)
  }

  async afterRefusal(signal: AbortSignal): Promise<string> {
    const { kms, address, timeoutMs } = this.#service
    const jwt = await readFile(this.#serviceAccountFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw kmsUnavailable(kms, 'stranger', `no Kubernetes service account: ${error.code}`, error)
    })
    const body = { role: this.#role, jwt: jwt.trim() }
    const { status, body: answer } = await postToVault(address, 'auth/kubernetes/login', { body, signal, timeoutMs })
    if (status !== 200)
      throw kmsUnavailable(kms, status < 500 ? 'stranger' : kmsErrorOfStatus(status), `login: status ${status}`)
    const { success, data } = authenticated.safeParse(answer)
    if (!success) throw kmsUnavailable(kms, 'nonsense', 'no token')
    return (this.#token = data.auth.client_token)
  }
}
