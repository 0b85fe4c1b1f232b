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
  [https, { ALL_PROXY: 'http://all' }, 'http://all'],
  [https, { all_proxy: 'http://lower', ALL_PROXY: 'http://upper' }, 'http://lower'],
  [https, { all_proxy: 'http://all', HTTPS_PROXY: 'http://proxy' }, 'http://proxy'],
  [https, { ALL_PROXY: 'http://all', https_proxy: '', HTTPS_PROXY: '' }, 'http://all'],
  [https, { ALL_PROXY: 'socks5://proxy', HTTPS_PROXY: 'http://proxy' }, 'http://proxy'],
  [https, { ALL_PROXY: 'socks5://proxy', NO_PROXY: 'example.com' }, undefined],
  ['http://rollkey.example.com', { HTTP_PROXY: 'http://proxy' }, 'http://proxy'],
  ['http://rollkey.example.com', { http_proxy: 'http://proxy' }, 'http://proxy'],
  ['http://rollkey.example.com', { HTTPS_PROXY: 'http://other', ALL_PROXY: 'http://all' }, 'http://all'],
])('%s with %j: %s', (url, env, origin) => {
  expect(proxyFor(new URL(url), env)?.origin).toBe(origin)
})

// As Go, curl from 7.86 and Node read it. Where they differ, what more of them do.
test.each<[list: string, direct: readonly string[], proxied: readonly string[]]>([
  ['*', [https, 'https://10.1.2.3'], []],
  ['a.test,*', [https], []],
  [
    'example.com',
    ['https://example.com', https, 'https://example.com.', 'https://EXAMPLE.com'],
    ['https://ample.com', 'https://anexample.com', 'https://example.com.test'],
  ],
  ['ample.com', [], [https]],
  ['EXAMPLE.com.', [https], []],
  ['.example.com', ['https://example.com', https], ['https://anexample.com']],
  ['*.example.com', ['https://example.com', https], ['https://anexample.com']],
  ['é.example', ['https://é.example', 'https://a.xn--9ca.example'], [https]],
  ['a.test, ,, \texample.com\n', [https], []],
  ['a.test example.com', [https], []],
  ['rollkey.example.com:443', [https], [`${https}:8443`, 'http://rollkey.example.com']],
  ['.example.com:8443', [`${https}:8443`], [https]],
  ['10.1.2.3', ['https://10.1.2.3:8443'], ['https://10.1.2.30', 'https://110.1.2.3']],
  ['10.1.2.3:8443', ['https://10.1.2.3:8443'], ['https://10.1.2.3']],
  ['2.3,.2.3,10.1', [], ['https://10.1.2.3']],
  ['10.0.0.0/8', ['https://10.1.2.3', 'https://[::ffff:10.1.2.3]'], ['https://11.1.2.3', 'https://[fd00::1]', https]],
  ['10.0.0.0/8:8443', ['https://10.1.2.3:8443'], ['https://10.1.2.3']],
  ['10.1.2.3/8', ['https://10.9.9.9'], ['https://11.1.2.3']],
  ['10.128.0.0/9', ['https://10.129.0.1'], ['https://10.127.0.1']],
  ['0.0.0.0/0', ['https://10.1.2.3'], [https]],
  ['fd00::/8', ['https://[fd00::1]', 'https://[fdff::1]'], ['https://[fc00::1]', 'https://10.1.2.3']],
  ['fd00::1', ['https://[fd00::1]', 'https://[fd00::1]:8443'], ['https://[fd00::12]']],
  ['FD00:0:0::0001', ['https://[fd00::1]'], []],
  ['[fd00::1]', ['https://[fd00::1]:8443'], ['https://[fd00::2]']],
  ['[fd00::1]:8443', ['https://[fd00::1]:8443'], ['https://[fd00::1]']],
  ['[fd00::/8]:8443', ['https://[fd00::1]:8443'], ['https://[fd00::1]']],
  ['10.0.0.0/33,::/129,10.0.0.0/-1,10.0.0.0/8/8,10.0.0.0/,/8', [], ['https://10.1.2.3', 'https://[fd00::1]']],
  ['/,:,.,*.,[],:443,https://rollkey.example.com', [], [https, 'https://10.1.2.3']],
  ['', ['https://localhost:8443', 'https://a.localhost', 'https://localhost.'], [https, 'https://localhost.test']],
  ['', ['https://127.1.2.3', 'https://[::1]', 'https://[::ffff:127.0.0.1]'], ['https://128.1.2.3', 'https://[::2]']],
])('NO_PROXY=%s', (list, direct, proxied) => {
  const ask = (env: Record<string, string>) => (url: string) =>
    proxyFor(new URL(url), { HTTPS_PROXY: 'http://proxy', HTTP_PROXY: 'http://proxy', ...env }) === undefined
  for (const env of [{ NO_PROXY: list }, { no_proxy: list, NO_PROXY: list === '' ? '' : 'other.test' }]) {
    expect([...direct, ...proxied].filter(ask(env))).toEqual(direct)
  }
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
  'ftp://u:canary@proxy',
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

test.each(['socks4', 'socks4a', 'socks5', 'socks5h', 'SOCKS'])(
  'a proxy for %s is refused with what is supported',
  (scheme) => {
    for (const variable of ['HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']) {
      expect(() => proxyFor(new URL(https), { [variable]: `${scheme}://u:canary@proxy:1080` })).toThrow(
        new RollkeyError(
          'INVALID_SETTING',
          `${variable} must be the http or https address of a proxy, such as http://proxy.example.com:3128. ` +
            'SOCKS is not supported. Set HTTPS_PROXY (HTTP_PROXY for plain http) to such a proxy, or add the service to NO_PROXY.',
        ),
      )
    }
  },
)
