/** Fake of the transit engine of Vault and OpenBao, with tokens and the Kubernetes login. */
import { randomBytes } from 'node:crypto'
import { FakeServer, type Reply, type FakeServerRequest } from '../fake-server.ts'
import { fromBase64, open, seal } from './keys.ts'

export const podToken = 'token-of-the-pod'
export const podRole = 'rollkey'

type Fields = Record<string, unknown>

export class FakeVault extends FakeServer {
  /** Versions of the key material by key name. The first is version 1. */
  readonly keys = new Map<string, Buffer[]>()
  /** Valid tokens, and whether their policy allows the use of the keys. */
  readonly tokens = new Map<string, 'allowed' | 'other policy'>()
  isSealed = false
  leaseSeconds = 3_600
  minDecryptionVersion = 1
  renewals = 0

  newToken(): string {
    const token = `hvs.${randomBytes(18).toString('base64url')}`
    this.tokens.set(token, 'allowed')
    return token
  }

  /** Creates a key and returns its URL. */
  newKey(): string {
    const name = `rollkey-${this.keys.size}`
    this.keys.set(name, [randomBytes(32)])
    return `${this.url}/transit/${name}`
  }

  protected take({ method, path, headers, body }: FakeServerRequest): Reply {
    if (this.isSealed) return refusal(503, 'Vault is sealed')
    if (method !== 'POST') return refusal(405, 'unsupported operation')
    const fields = JSON.parse(body) as Fields
    if (path === '/v1/auth/kubernetes/login') return this.#login(fields)
    const token = String(headers['x-vault-token'])
    if (!this.tokens.has(token)) return refusal(403, 'permission denied')
    if (path === '/v1/auth/token/renew-self') return this.#renew(token)
    const [, operation, name = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/([^/]+)$/.exec(path) ?? []
    if (this.tokens.get(token) !== 'allowed' || operation === undefined) return refusal(403, 'permission denied')
    const versions = this.keys.get(name)
    if (!versions) return refusal(400, 'encryption key not found')
    return operation === 'encrypt' ? encrypt(versions, fields) : this.#decrypt(versions, fields)
  }

  #login({ role, jwt }: Fields): Reply {
    if (role !== podRole || jwt !== podToken) return refusal(403, 'permission denied')
    return this.#authenticated(this.newToken())
  }

  #renew(token: string): Reply {
    this.renewals++
    return this.#authenticated(token)
  }

  #authenticated(token: string): Reply {
    return { status: 200, body: { auth: { client_token: token, lease_duration: this.leaseSeconds, renewable: true } } }
  }

  #decrypt(versions: readonly Buffer[], { ciphertext, associated_data }: Fields): Reply {
    const [, version, sealed] = /^vault:v(\d+):(.+)$/.exec(String(ciphertext)) ?? []
    if (version === undefined) return refusal(400, 'invalid ciphertext: no prefix')
    // As in the real Vault, version 0 is another way to write version 1.
    const number = Math.max(1, Number(version))
    const material = versions[number - 1]
    if (!material) return refusal(400, 'invalid ciphertext: version is too new')
    if (number < this.minDecryptionVersion) {
      return refusal(400, 'ciphertext or signature version is disallowed by policy (too old)')
    }
    const plaintext = open(material, fromBase64(sealed), fromBase64(associated_data))
    if (!plaintext) return refusal(400, 'cipher: message authentication failed')
    return { status: 200, body: { data: { plaintext: plaintext.toString('base64') } } }
  }
}

function encrypt(versions: readonly Buffer[], { plaintext, associated_data }: Fields): Reply {
  const material = versions.at(-1) as Buffer
  const sealed = seal(material, fromBase64(plaintext), fromBase64(associated_data))
  const version = versions.length
  return {
    status: 200,
    body: { data: { ciphertext: `vault:v${version}:${sealed.toString('base64')}`, key_version: version } },
  }
}

function refusal(status: number, error: string): Reply {
  return { status, body: { errors: [error] } }
}
