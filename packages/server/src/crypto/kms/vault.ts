/**
 * The transit engine of HashiCorp Vault (1.13 or newer) or OpenBao, with a key of type aes256-gcm96. The context is bound
 * as associated data. The `context` parameter of that API is different: an input of key derivation.
 */
import { z } from 'zod'
import { withTimeout, defaultTimeoutMs, type KmsResponse } from './requests.ts'
import { CannotUnwrap, type Kms } from './kms.ts'
import { kmsUnavailable, kmsErrorOfStatus } from './kms-error.ts'
import { postToVault, StaticToken, KubernetesLogin, type VaultTokens } from './vault-tokens.ts'

const encrypted = z.object({ data: z.object({ ciphertext: z.string() }) })
const decrypted = z.object({ data: z.object({ plaintext: z.base64() }) })
const failed = z.object({ errors: z.array(z.string()) })

/** Errors about the wrapped key. Old versions report them with status 500. Any other refusal has another cause. */
const ciphertextErrors = /invalid ciphertext|message authentication failed/

/** Returns whether a text is vault:v, the key version, a colon and base64, exactly as Vault writes it. */
function isVaultCiphertext(text: string): boolean {
  const [, base64] = /^vault:v[1-9][0-9]*:([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  return base64 !== undefined && Buffer.from(base64, 'base64').toString('base64') === base64
}

/** Path at which Kubernetes gives the token to a pod. Kubernetes replaces it before it expires. */
const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount/token'

interface VaultOptions {
  /** https://host:8200/MOUNT/KEY, with ?role=ROLE for the Kubernetes login. */
  readonly url: string
  /** Undefined with a role. */
  readonly token: string | undefined
  /** Path of another file in tests. */
  readonly serviceAccountFile?: string
  readonly timeoutMs?: number
}

/** The transit engine. `wrapped` = the ciphertext of Vault, vault:v1:…, in ASCII. */
export class VaultKms implements Kms {
  readonly name: string
  readonly #address: string
  readonly #mount: string
  readonly #key: string
  readonly #tokens: VaultTokens
  readonly #timeoutMs: number

  constructor({ url, token, serviceAccountFile = serviceAccount, timeoutMs = defaultTimeoutMs }: VaultOptions) {
    const { origin, pathname, searchParams } = new URL(url)
    const at = pathname.lastIndexOf('/')
    this.name = `vault:${origin}${pathname}`
    this.#address = origin
    this.#mount = pathname.slice(1, at)
    this.#key = pathname.slice(at + 1)
    this.#timeoutMs = timeoutMs
    const service = { kms: this.name, address: origin, timeoutMs }
    this.#tokens =
      token === undefined
        ? new KubernetesLogin(service, searchParams.get('role') ?? '', serviceAccountFile)
        : new StaticToken(service, token)
  }

  async wrap(key: Uint8Array, context: string): Promise<Uint8Array> {
    const answer = await this.#ask('encrypt', context, { plaintext: Buffer.from(key).toString('base64') })
    if (answer.status !== 200) throw this.#unavailable(answer)
    const { success, data } = encrypted.safeParse(answer.body)
    if (!success || !isVaultCiphertext(data.data.ciphertext))
      throw kmsUnavailable(this.name, 'nonsense', 'no ciphertext')
    return Buffer.from(data.data.ciphertext)
  }

  async unwrap(wrapped: Uint8Array, context: string): Promise<Buffer> {
    const ciphertext = Buffer.from(wrapped).toString('latin1')
    if (!isVaultCiphertext(ciphertext)) throw new CannotUnwrap('The data key was not wrapped by Vault or is damaged.')
    const answer = await this.#ask('decrypt', context, { ciphertext })
    if (answer.status !== 200) {
      const errors = failed.safeParse(answer.body).data?.errors ?? []
      if (!errors.some((text) => ciphertextErrors.test(text))) throw this.#unavailable(answer)
      throw new CannotUnwrap('Vault reports that the data key was wrapped by another key or is damaged.')
    }
    const { success, data } = decrypted.safeParse(answer.body)
    if (!success) throw kmsUnavailable(this.name, 'nonsense', 'no plaintext')
    return Buffer.from(data.data.plaintext, 'base64')
  }

  #ask(operation: 'encrypt' | 'decrypt', context: string, fields: object): Promise<KmsResponse> {
    const path = `${this.#mount}/${operation}/${this.#key}`
    const body = { ...fields, associated_data: Buffer.from(context).toString('base64') }
    return withTimeout(this.name, this.#timeoutMs, async (signal) => {
      const ask = (token: string): Promise<KmsResponse> =>
        postToVault(this.#address, path, { token, body, signal, timeoutMs: this.#timeoutMs })
      const answer = await ask(await this.#tokens.current(signal))
      if (answer.status !== 403) return answer
      const another = await this.#tokens.afterRefusal(signal)
      return another === undefined ? answer : ask(another)
    })
  }

  #unavailable({ status }: KmsResponse): Error {
    return kmsUnavailable(this.name, kmsErrorOfStatus(status), `status ${status}`)
  }
}
