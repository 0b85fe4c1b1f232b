import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { clientAddress, networkOf } from '../../src/http/limits/client-address.ts'

function requestFrom(remoteAddress: string | undefined, forwardedFor?: string): IncomingMessage {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage
}

describe('the address of a client', () => {
  test.each([
    ['itself', '203.0.113.9', undefined, '203.0.113.9'],
    ['the address that a trusted proxy forwards', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['the nearest untrusted address', '10.0.0.1', '1.1.1.1, 198.51.100.7, 10.0.0.2', '198.51.100.7'],
    ['the connection if it is not a trusted proxy', '203.0.113.9', '198.51.100.7', '203.0.113.9'],
    ['the proxy if it forwards no address', '10.0.0.1', `unknown${'x'.repeat(9_000)}`, '10.0.0.1'],
    ['empty once the connection is closed', undefined, '198.51.100.7', ''],
  ])('is %s', (_, remote, forwardedFor, address) => {
    expect(clientAddress(['10.0.0.0/8'])(requestFrom(remote, forwardedFor))).toBe(address)
  })

  test('reports an untrusted address that forwards requests, once', () => {
    const reported: string[] = []
    const addressOf = clientAddress(['10.0.0.0/8'], (address) => reported.push(address))
    for (const remote of ['10.0.0.1', '203.0.113.9', '203.0.113.9', '203.0.113.10']) {
      addressOf(requestFrom(remote, '198.51.100.7'))
    }
    addressOf(requestFrom('203.0.113.11'))
    expect(reported).toEqual(['203.0.113.9'])
  })

  test('is that of the connection if no proxy is trusted', () => {
    expect(clientAddress([])(requestFrom('127.0.0.1', '198.51.100.7'))).toBe('127.0.0.1')
  })
})

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
