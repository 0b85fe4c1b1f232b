/** The proxy that the environment names for an address, and requests through it. */
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { RollkeyError, type FetchInit } from '@rollkey/sdk'

export interface Proxy {
  /** Scheme, host and port. */
  readonly origin: string
  /** The header with its user and password, if it has them. */
  readonly headers: Readonly<Record<string, string>>
  /** The variable that names it. */
  readonly variable: string
}

/** Addresses of this machine, which no proxy reaches. curl and Node would ask the proxy, Go would not. */
const loopback = 'localhost,127.0.0.0/8,[::1]'

/** Returns the proxy for an address, or undefined if it is reached directly. Throws INVALID_SETTING. */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): Proxy | undefined {
  // Lower case comes first, as for curl and Node. An empty variable counts as unset.
  const names = url.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY']
  const variable = [...names, 'all_proxy', 'ALL_PROXY'].find((name) => env[name])
  if (variable === undefined || isDirect(url, `${loopback},${env['no_proxy'] || env['NO_PROXY'] || ''}`))
    return undefined
  return { ...parseProxy(env[variable] ?? '', variable), variable }
}

function parseProxy(text: string, variable: string): Omit<Proxy, 'variable'> {
  try {
    const { origin, protocol, username, password, pathname, search, hash } = new URL(
      text.includes('://') ? text : `http://${text}`,
    )
    // A password with an unescaped / ? or # would be cut, and its beginning be the port.
    if (/^https?:$/.test(protocol) && pathname + search + hash === '/') {
      const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
      const authorization = `Basic ${Buffer.from(user).toString('base64')}`
      return { origin, headers: user === ':' ? {} : { 'proxy-authorization': authorization } }
    }
  } catch {
    // The error of a malformed URL would quote the password.
  }
  const remedy = /^\s*socks/i.test(text)
    ? 'SOCKS is not supported. Set HTTPS_PROXY (HTTP_PROXY for plain http) to such a proxy, or add the service to NO_PROXY.'
    : 'Percent-encode special characters of its user and password.'
  throw new RollkeyError(
    'INVALID_SETTING',
    `${variable} must be the http or https address of a proxy, such as http://proxy.example.com:3128. ${remedy}`,
  )
}

/** Returns whether a list in the format of NO_PROXY contains the host: `*`, names with their subdomains, addresses, networks. */
function isDirect({ hostname, protocol, port }: URL, list: string): boolean {
  const { isIP } = process.getBuiltinModule('node:net')
  const { domainToASCII } = process.getBuiltinModule('node:url')
  const host = hostname.replaceAll(/^\[|[.\]]$/g, '')
  const hostPort = port || (protocol === 'https:' ? '443' : '80')
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = entry, entryPort = hostPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? []
    if (entryPort !== hostPort) return false
    if (name === '*') return true
    if (isIP(host) !== 0) return isInNetwork(host, name.replaceAll(/[[\]]/g, ''))
    const known = domainToASCII(name.replaceAll(/^\*?\.|\.$/g, ''))
    return known !== '' && `.${host}`.endsWith(`.${known}`)
  })
}

/** Returns whether an address is another or in a network, such as `10.0.0.0/8`. `::ffff:10.1.2.3` counts as 10.1.2.3. */
function isInNetwork(host: string, network: string): boolean {
  const { BlockList, isIP } = process.getBuiltinModule('node:net')
  const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')
  const [, address = '', digits] = /^([^/]+)(?:\/(\d+))?$/.exec(network) ?? []
  const maxBits = familyOf(address) === 'ipv4' ? 32 : 128
  const bits = Number(digits ?? maxBits)
  if (isIP(address) === 0 || bits > maxBits) return false
  const list = new BlockList()
  list.addSubnet(address, bits, familyOf(address))
  return list.check(host, familyOf(host))
}

/**
 * Starts a request through a proxy: https by CONNECT, so that the proxy sees none of it, and http as a request for the whole address
 * (RFC 9112, section 3.2.2). Throws UNREACHABLE.
 */
export async function requestThrough(proxy: Proxy, url: URL, init: FetchInit): Promise<ClientRequest> {
  const { origin, headers } = proxy
  const { request } = process.getBuiltinModule(origin.startsWith('https:') ? 'node:https' : 'node:http')
  const { signal } = init
  // Without an agent, since the global one itself uses a proxy if NODE_USE_ENV_PROXY is set.
  if (url.protocol === 'http:') {
    const all = { ...init.headers, ...headers, host: url.host }
    return request(origin, { method: init.method, path: url.href, headers: all, signal, agent: false })
  }
  const host = `${url.hostname}:${url.port || 443}`
  const connect = request(origin, {
    method: 'CONNECT',
    path: host,
    headers: { ...headers, host },
    signal,
    agent: false,
  })
  connect.end()
  const [{ statusCode = 0 }, socket] = (await once(connect, 'connect').catch((cause: unknown) => {
    throw proxyFailure(proxy, cause)
  })) as [IncomingMessage, Socket]
  if (statusCode === 200) {
    // tls.connect takes the socket.
    const options = { method: init.method, headers: init.headers, signal, socket, agent: false }
    return process.getBuiltinModule('node:https').request(url, options)
  }
  socket.destroy()
  throw proxyRefusal(proxy, statusCode)
}

/** Returns the error for a proxy that cannot be reached. */
export function proxyFailure({ origin, variable }: Proxy, cause: unknown): RollkeyError {
  const { code = 'ERROR' } = cause as NodeJS.ErrnoException
  const what = `The proxy ${origin} of ${variable} cannot be reached (${code}). Correct ${variable}, or add the service to NO_PROXY.`
  return new RollkeyError('UNREACHABLE', what, { cause })
}

/** Returns the error for a proxy that does not let a request through. */
export function proxyRefusal({ origin, variable }: Proxy, status: number): RollkeyError {
  const remedy =
    status === 407 ? `Write user and password into ${variable}: http://USER:PASSWORD@HOST:PORT` : 'Ask who runs it'
  const what = `The proxy ${origin} of ${variable} refused the connection with ${status}. ${remedy}, or add the service to NO_PROXY.`
  return new RollkeyError('UNREACHABLE', what, { status })
}
