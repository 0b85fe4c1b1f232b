/** Finds the client address of a request, using the headers of trusted reverse proxies. */
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import proxyaddr from 'proxy-addr'

export type AddressOf = (request: IncomingMessage) => string

/**
 * Returns a function that finds the client address of a request. `trusted`: addresses and ranges in the form of proxy-addr.
 * `onUntrusted` is called once, with the first address that forwards requests and is not trusted. It may be a proxy that the
 * settings do not name, and all its clients then count as one.
 */
export function clientAddress(trusted: readonly string[], onUntrusted?: (address: string) => void): AddressOf {
  const trust = proxyaddr.compile([...trusted])
  let reportUntrusted = onUntrusted
  return (request) => {
    const { headers, socket } = request
    // The address of a closed connection is unknown.
    const { remoteAddress = '' } = socket
    if (headers['x-forwarded-for'] === undefined || remoteAddress === '') return remoteAddress
    if (!trust(remoteAddress, 0)) {
      reportUntrusted?.(remoteAddress)
      reportUntrusted = undefined
      return remoteAddress
    }
    const address = proxyaddr(request, trust)
    return isIP(address) === 0 ? remoteAddress : address
  }
}

/** Returns a function that reports whether an address is a trusted reverse proxy. */
export function isProxyOf(trusted: readonly string[]): (address: string) => boolean {
  const trust = proxyaddr.compile([...trusted])
  return (address) => isIP(address) !== 0 && trust(address, 0)
}

const groupsOfNetwork = 4
const groupsOfAddress = 8

/** Returns the addresses that one client controls: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: groupsOfAddress - head.length - tail.length }, () => '0')
  const groups = [...head, ...zeros, ...tail].slice(0, groupsOfNetwork)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
