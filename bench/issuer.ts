/** A platform whose tokens a trust of the measured service accepts. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { call, type Service } from './target.ts'

const claims = [{ name: 'repository_id', value: '424242' }]
const audience = 'https://rollkey.example.com'

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** An issuer that publishes a key, or never answers. */
export async function startIssuer(hangs: () => boolean = () => false) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'RS256' }
  const server = createServer(({ url = '' }, response: ServerResponse) => {
    if (hangs()) return
    response.end(JSON.stringify(url === '/jwks' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/jwks` }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    /** Returns a token that is valid for a while. */
    tokenOf(lifetimeSec = 300): string {
      const seconds = Math.floor(Date.now() / 1_000)
      const body = { iss: issuer, aud: audience, iat: seconds, exp: seconds + lifetimeSec, repository_id: '424242' }
      const input = [{ alg: 'RS256', kid: 'key' }, body].map(base64url).join('.')
      return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`
    },
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>

export async function trustOf(service: Service, { issuer }: Issuer): Promise<string> {
  const trust = { name: 'bench', issuer, audience, claims, role: 'reader' }
  const { id } = await call<{ id: string }>(service, '/v1/trusts/create', trust)
  return id
}
