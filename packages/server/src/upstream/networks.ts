/** To which addresses the service connects because a member named them. */
import { BlockList, isIP } from 'node:net'

/** Networks of IPv4 that are not public (IANA special-purpose registry). */
const specialV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]
/** The global unicast addresses of IPv6, and what among them leads to IPv4 or nowhere. */
const globalV6 = ['2000::/3']
const specialV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const network = /^(?<address>[0-9A-Fa-f:.]+)\/(?<bits>\d{1,3})$/

/** Returns whether a text is a network such as 10.0.0.0/8 or fd00::/8. */
export function isNetwork(text: string): boolean {
  const { address = '', bits = '' } = network.exec(text)?.groups ?? {}
  const version = isIP(address)
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128)
}

/** Returns the addresses of some networks. */
export function networks(texts: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const { address = '', bits = '' } = network.exec(text)?.groups ?? {}
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

const special = networks([...specialV4, ...specialV6])
const global = networks(globalV6)

/** Returns whether a list has an IP address. */
export function hasAddress(list: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Returns whether an IP address belongs to the public internet. IPv4 in IPv6 does not, however it is written: no public name has such an
 * address.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 0 || hasAddress(special, address)) return false
  return version === 4 || hasAddress(global, address)
}
