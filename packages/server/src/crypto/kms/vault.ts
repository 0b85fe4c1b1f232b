/**
 * The transit engine of HashiCorp Vault (1.13 or newer) or OpenBao, with a key of type aes256-gcm96. The context is bound
 * as associated data. The `context` parameter of that API is different: an input of key derivation.
 */
import { z } from 'zod'
import { inTime, usualPatienceMs, type Answer } from './ask.ts'
import { CannotUnwrap, type Kms } from './kms.ts'
import { kmsTrouble, troubleOf } from './kms-error.ts'
import { askVault, GivenToken, KubernetesLogin, type Tokens } from './vault-tokens.ts'

const encrypted = z.object({ data: z.object({ ciphertext: z.string() }) })
const decrypted = z.object({ data: z.object({ plaintext: z.base64() }) })
const failed = z.object({ errors: z.array(z.string()) })

/** Errors about the wrapped key. Old versions report them with status 500. Any other refusal has another cause. */
const ofCiphertext = /invalid ciphertext|message authentication failed/

/** Returns whether a text is vault:v, the key version, a colon and base64, exactly as Vault writes it. */
function isAsWritten(text: string): boolean {
  const [, base64] = /^vault:v[1-9][0-9]*:([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  return base64 !== undefined && Buffer.from(base64, 'base64').toString('base64') === base64
}

/** Path at which Kubernetes gives the token to a pod. Kubernetes replaces it before it expires. */
const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount/token'

interface VaultParts {
  /** https://host:8200/MOUNT/KEY, with ?role=ROLE for the Kubernetes login. */
  readonly url: string
  /** Undefined with a role. */
  readonly token: string | undefined
  /** Path of another file in tests. */
  readonly serviceAccountFile?: string
  readonly patienceMs?: number
}

/** The transit engine. `wrapped` = the ciphertext of Vault, vault:v1:…, in ASCII. */
export class VaultKms implements Kms {
  readonly name: string
  readonly #address: string
  readonly #mount: string
  readonly #key: string
  readonly #tokens: Tokens
  readonly #patienceMs: number

  constructor({ url, token, serviceAccountFile = serviceAccount, patienceMs = usualPatienceMs }: VaultParts) {
    const { origin, pathname, searchParams } = new URL(url)
    const at = pathname.lastIndexOf('/')
    this.name = `vault:${origin}${pathname}`
    this.#address = origin
    this.#mount = pathname.slice(1, at)
    this.#key = pathname.slice(at + 1)
    this.#patienceMs = patienceMs
    const service = { kms: this.name, address: origin, patienceMs }
    this.#tokens =
      token === undefined
        ? new KubernetesLogin(service, searchParams.get('role') ?? '', serviceAccountFile)
        : new GivenToken(service, token)
  }

  async wrap(key: Uint8Array, context: string): Promise<Uint8Array> {
    const answer = await this.#ask('encrypt', context, { plaintext: Buffer.from(key).toString('base64') })
    if (answer.status !== 200) throw this.#trouble(answer)
    const { success, data } = encrypted.safeParse(answer.body)
    if (!success || !isAsWritten(data.data.ciphertext)) throw kmsTrouble(this.name, 'nonsense', 'no ciphertext')
    return Buffer.from(data.data.ciphertext)
  }

  async unwrap(wrapped: Uint8Array, context: string): Promise<Buffer> {
    const ciphertext = Buffer.from(wrapped).toString('latin1')
    if (!isAsWritten(ciphertext)) throw new CannotUnwrap('The data key was not wrapped by Vault or is damaged.')
    const answer = await this.#ask('decrypt', context, { ciphertext })
    if (answer.status !== 200) {
      const errors = failed.safeParse(answer.body).data?.errors ?? []
      if (!errors.some((text) => ofCiphertext.test(text))) throw this.#trouble(answer)
      throw new CannotUnwrap('Vault reports that the data key was wrapped by another key or is damaged.')
    }
    const { success, data } = decrypted.safeParse(answer.body)
    if (!success) throw kmsTrouble(this.name, 'nonsense', 'no plaintext')
    return Buffer.from(data.data.plaintext, 'base64')
  }

  #ask(operation: 'encrypt' | 'decrypt', context: string, fields: object): Promise<Answer> {
    const path = `${this.#mount}/${operation}/${this.#key}`
    const body = { ...fields, associated_data: Buffer.from(context).toString('base64') }
    return inTime(this.name, this.#patienceMs, async (signal) => {
      const ask = (token: string): Promise<Answer> =>
        askVault(this.#address, path, { token, body, signal, patienceMs: this.#patienceMs })
      const answer = await ask(await this.#tokens.current(signal))
      if (answer.status !== 403) return answer
      const another = await this.#tokens.afterRefusal(signal)
      return another === undefined ? answer : ask(another)
    })
  }

  #trouble({ status }: Answer): Error {
    return kmsTrouble(this.name, troubleOf(status), `status ${status}`)
  }
}
