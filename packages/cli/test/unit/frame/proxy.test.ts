/** Which proxy the environment names for an address. */
import { RollkeyError } from '@rollkey/sdk'
import { expect, test } from 'vitest'
import { proxyFor } from '../../../src/frame/proxy.ts'

const https = 'https://rollkey.example.com'

test.each<[url: string, env: Record<string, string>, origin: string | undefined]>([
  [https, {}, undefined],
  [https, { HTTPS_PROXY: 'http://upper:3128', HTTP_PROXY: 'http://other' }, 'http://upper:3128'],
  [https, { https_proxy: 'http://lower:3128', HTTPS_PROXY: 'http://upper:3128' }, 'http://lower:3128'],
  [https, { https_proxy: '', HTTPS_PROXY: 'https://upper' }, 'https://upper'],
  [https, { HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128'],
  [https, { HTTP_PROXY: 'http://other' }, undefined],
  ['http://rollkey.example.com', { HTTP_PROXY: 'http://proxy' }, 'http://proxy'],
  ['http://rollkey.example.com', { http_proxy: 'http://proxy' }, 'http://proxy'],
])('%s with %j: %s', (url, env, origin) => {
  expect(proxyFor(new URL(url), env)?.origin).toBe(origin)
})

test.each([
  ['https://rollkey.example.com', '*'],
  ['https://rollkey.example.com', 'a.test, EXAMPLE.com'],
  ['https://rollkey.example.com', '.example.com'],
  ['https://rollkey.example.com', '*.example.com'],
  ['https://rollkey.example.com', 'a.test rollkey.example.com:443'],
  ['https://rollkey.example.com:8443', 'rollkey.example.com:8443'],
  ['https://10.1.2.3', '10.0.0.0/8'],
  ['https://10.1.2.3', '10.1.2.3'],
  ['https://[fd00::1]:8443', '[fd00::1]:8443'],
  ['https://[fd00::1]', 'fd00::1'],
  ['https://[fd00::1]', 'fd00::/8'],
  ['https://localhost:8443', ''],
  ['https://a.localhost', ''],
  ['https://127.1.2.3', ''],
  ['https://[::1]', ''],
])('%s is reached directly with NO_PROXY=%s', (url, list) => {
  const proxy = { HTTPS_PROXY: 'http://proxy' }
  expect(proxyFor(new URL(url), { ...proxy, NO_PROXY: list })).toBe(undefined)
  expect(proxyFor(new URL(url), { ...proxy, no_proxy: list, NO_PROXY: 'other' })).toBe(undefined)
})

test.each([
  ['https://rollkey.example.com', 'ample.com'],
  ['https://rollkey.example.com', 'rollkey.example.com:8443'],
  ['https://rollkey.example.com', '10.0.0.0/8,0.0.0.0/99,::/999,/,:,[],rollkey.example.com/8'],
  ['https://11.1.2.3', '10.0.0.0/8'],
  ['https://[fd00::1]', '10.0.0.0/8'],
])('%s goes through the proxy with NO_PROXY=%s', (url, list) => {
  expect(proxyFor(new URL(url), { HTTPS_PROXY: 'http://proxy', NO_PROXY: list })?.origin).toBe('http://proxy')
})

test('user and password are decoded into a header', () => {
  const found = proxyFor(new URL(https), { HTTPS_PROXY: 'http://us%40er:p%2Fss@proxy:3128' })
  expect(found).toEqual({
    origin: 'http://proxy:3128',
    variable: 'HTTPS_PROXY',
    headers: { 'proxy-authorization': `Basic ${Buffer.from('us@er:p/ss').toString('base64')}` },
  })
  expect(proxyFor(new URL(https), { HTTPS_PROXY: 'http://proxy:3128' })?.headers).toEqual({})
})

test.each([
  'socks5://u:canary@proxy',
  'http://u:12/canary@proxy',
  'http://u:12#canary@proxy',
  'http://u:%canary@proxy',
  'http://',
])('%s is refused without its password', (text) => {
  expect(() => proxyFor(new URL(https), { https_proxy: text })).toThrow(
    new RollkeyError(
      'INVALID_SETTING',
      'https_proxy must be the http or https address of a proxy, such as http://proxy.example.com:3128. ' +
        'Percent-encode special characters of its user and password.',
    ),
  )
})
