/** Where requests come from, as far as reverse proxies that are trusted tell. */
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import proxyaddr from 'proxy-addr'

export type AddressOf = (request: IncomingMessage) => string

/**
 * `trusted`: addresses and ranges as proxy-addr takes them. `onUntrusted` is told, once, of an address that forwards requests
 * and is not one of them: it may be a proxy that was forgotten, and then all who come through it are taken for one client.
 */
export function clientAddress(trusted: readonly string[], onUntrusted?: (address: string) => void): AddressOf {
  const trust = proxyaddr.compile([...trusted])
  let tell = onUntrusted
  return (request) => {
    const { headers, socket } = request
    // Of a connection that is gone already the address is not known.
    const { remoteAddress = '' } = socket
    if (headers['x-forwarded-for'] === undefined || remoteAddress === '') return remoteAddress
    if (!trust(remoteAddress, 0)) {
      tell?.(remoteAddress)
      tell = undefined
      return remoteAddress
    }
    const address = proxyaddr(request, trust)
    return isIP(address) === 0 ? remoteAddress : address
  }
}

/** Whether an address is one of the reverse proxies that are trusted. */
export function isProxyOf(trusted: readonly string[]): (address: string) => boolean {
  const trust = proxyaddr.compile([...trusted])
  return (address) => isIP(address) !== 0 && trust(address, 0)
}

const groupsOfNetwork = 4
const groupsOfAddress = 8

/** What a single client has: an IPv4 address, or all addresses of an IPv6 /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: groupsOfAddress - head.length - tail.length }, () => '0')
  const groups = [...head, ...zeros, ...tail].slice(0, groupsOfNetwork)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
