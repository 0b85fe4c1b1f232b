import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { openBench, refusal } from '../testkit/fetch.ts'

const variables = { A: 'a' }

const bearers = (headers: readonly Headers[]): (string | null)[] => headers.map((header) => header.get('authorization'))

describe('the token', () => {
  test('is requested for each request if it is a function', async () => {
    let turn = 0
    const { client, headers } = openBench({ variables }, { cache: false, token: () => `token-${turn++}` })
    await client.get('A')
    await client.list()
    expect(bearers(headers)).toEqual(['Bearer token-0', 'Bearer token-1'])
  })

  test('is renewed once if the service refuses it', async () => {
    const refused: string[] = []
    const renew = (token: string): Promise<string> => {
      refused.push(token)
      return Promise.resolve('new')
    }
    const source = { token: () => Promise.resolve('old'), renew }
    const { client, headers, fates } = openBench({ variables }, { cache: false, token: source })
    fates.push(refusal(401, 'UNAUTHORIZED'))
    expect(await client.get('A')).toBe('a')
    expect(bearers(headers)).toEqual(['Bearer old', 'Bearer new'])
    expect(refused).toEqual(['old'])
    const keys = headers.map((header) => header.get('x-service-request-key'))
    expect(keys[0]).toBe(keys[1])
    fates.push(refusal(401, 'UNAUTHORIZED'), refusal(401, 'UNAUTHORIZED'))
    await expect(client.get('A')).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 })
    expect(headers).toHaveLength(4)
  })

  test('that cannot be renewed is an error', async () => {
    const source = { token: () => Promise.resolve('old'), renew: () => Promise.resolve(undefined) }
    const { client, fates, headers } = openBench({ variables }, { cache: false, token: source })
    fates.push(refusal(401, 'UNAUTHORIZED'))
    await expect(client.get('A')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    expect(headers).toHaveLength(1)
  })

  test.each(['', 'svc_st_secret\n', 'svc_st_sécret'])('%j is refused without being quoted', async (token) => {
    const { client, headers } = openBench({ variables }, { token })
    const error = (await client.get('A').catch((reason: unknown) => reason)) as Error
    expect(error).toMatchObject({ code: 'INVALID_SETTING' })
    expect(error.message).not.toContain('svc_st')
    expect(headers).toEqual([])
  })
})

test.each(['', 'rollkey.example.com', 'ftp://host', 'https://user:pass@host', 'https://host/?q=1', 'https://host/#x'])(
  'the address %j is refused without being quoted',
  (url) => {
    const attempt = () => createClient({ url, org: 'o', project: 'p', stage: 's', token: 't' })
    expect(attempt).toThrow(expect.objectContaining({ code: 'INVALID_SETTING' }) as Error)
    expect(attempt).not.toThrow('pass')
  },
)

test('a redirect is never followed: the token is for the service alone', async () => {
  const requested: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    requested.push(url)
    response.writeHead(307, { location: '/elsewhere' }).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createClient({ url, org: 'o', project: 'p', stage: 's', token: 't' })
  await expect(client.get('A')).rejects.toThrow(`${url} redirects to another address. Set that address instead.`)
  expect(requested).toEqual(['/v1/env/evaluate'])
})

test('a path of the address is kept', async () => {
  const requested: string[] = []
  const recording: typeof fetch = (input) => {
    requested.push(input as string)
    return Promise.resolve(refusal(403, 'FORBIDDEN'))
  }
  const { client } = openBench({ variables }, { url: 'https://host/rollkey/', fetch: recording })
  await expect(client.whoami()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(requested).toEqual(['https://host/rollkey/v1/whoami'])
})
