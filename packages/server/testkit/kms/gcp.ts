/** Fake Google Cloud KMS, REST v1, and the token service that exchanges a workload's credentials for an access token. */
import { randomBytes } from 'node:crypto'
import { crc32c } from '../../src/crypto/kms/crc32c.ts'
import { FakeServer, type Reply, type FakeServerRequest } from '../fake-server.ts'
import { fromBase64, open, seal } from './keys.ts'

export const subjectToken = 'token-of-the-workload'

interface Key {
  readonly material: Buffer
  state: 'ENABLED' | 'DISABLED' | 'DENIED'
}

type Fields = Record<string, unknown>

export class FakeGcpKms extends FakeServer {
  readonly keys = new Map<string, Key>()
  readonly #accessToken = `ya29.${randomBytes(16).toString('base64url')}`
  /** Changes its answers in transit. */
  tamper = (answer: Fields): Fields => answer

  /** Creates a key and returns its name. */
  newKey(): string {
    const name = `projects/rollkey-test/locations/europe-west3/keyRings/rollkey/cryptoKeys/k${this.keys.size}`
    this.keys.set(name, { material: randomBytes(32), state: 'ENABLED' })
    return name
  }

  /** File for GOOGLE_APPLICATION_CREDENTIALS: a workload identity federation with its token in a file. */
  credentials(subjectTokenFile: string): object {
    return {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${this.url}/token`,
      credential_source: { file: subjectTokenFile },
    }
  }

  protected take({ path, headers, body }: FakeServerRequest): Reply {
    if (path === '/token') return this.#exchange(new URLSearchParams(body))
    if (headers.authorization !== `Bearer ${this.#accessToken}`) return refusal(401, 'UNAUTHENTICATED')
    const [, name = '', operation] = /^\/v1\/(.+):(encrypt|decrypt)$/.exec(path) ?? []
    const key = this.keys.get(name)
    if (!key) return refusal(404, 'NOT_FOUND')
    if (key.state === 'DENIED') return refusal(403, 'PERMISSION_DENIED')
    if (key.state === 'DISABLED') return refusal(400, 'FAILED_PRECONDITION')
    const fields = JSON.parse(body) as Fields
    const bytes = ['plaintext', 'ciphertext', 'additionalAuthenticatedData'].filter((field) => field in fields)
    if (!bytes.every((field) => fields[`${field}Crc32c`] === checksum(fromBase64(fields[field])))) {
      return refusal(400, 'INVALID_ARGUMENT', 'The checksum did not match the data that was received.')
    }
    return operation === 'encrypt' ? this.#encrypt(name, key, fields) : this.#decrypt(key, fields)
  }

  #exchange(form: URLSearchParams): Reply {
    const isOurs =
      form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:token-exchange' &&
      form.get('subject_token') === subjectToken &&
      form.get('scope') === 'https://www.googleapis.com/auth/cloudkms'
    if (!isOurs) return { status: 400, body: { error: 'invalid_grant' } }
    const token = { access_token: this.#accessToken, token_type: 'Bearer', expires_in: 3_600 }
    return { status: 200, body: { ...token, issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' } }
  }

  #encrypt(name: string, { material }: Key, { plaintext, additionalAuthenticatedData }: Fields): Reply {
    const sealed = seal(material, fromBase64(plaintext), fromBase64(additionalAuthenticatedData))
    const answer = {
      name: `${name}/cryptoKeyVersions/1`,
      ciphertext: sealed.toString('base64'),
      ciphertextCrc32c: checksum(sealed),
      verifiedPlaintextCrc32c: true,
      verifiedAdditionalAuthenticatedDataCrc32c: true,
      protectionLevel: 'SOFTWARE',
    }
    return { status: 200, body: this.tamper(answer) }
  }

  #decrypt({ material }: Key, { ciphertext, additionalAuthenticatedData }: Fields): Reply {
    const plaintext = open(material, fromBase64(ciphertext), fromBase64(additionalAuthenticatedData))
    if (!plaintext) return refusal(400, 'INVALID_ARGUMENT', "Decryption failed: verify that 'name' refers to the key.")
    const answer = { plaintext: plaintext.toString('base64'), plaintextCrc32c: checksum(plaintext), usedPrimary: true }
    return { status: 200, body: this.tamper(answer) }
  }
}

function checksum(bytes: Buffer): string {
  return String(crc32c(bytes))
}

function refusal(code: number, status: string, message = `The stand-in says ${status}.`): Reply {
  return { status: code, body: { error: { code, status, message } } }
}
