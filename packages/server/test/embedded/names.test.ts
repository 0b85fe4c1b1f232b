/** Validation at the identity pages: visible names, and lists by existing columns only. */
import { describe, expect, test } from 'vitest'
import { startTestApp } from '../../testkit/app.ts'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { goodPassword, inLink, invitation, invite, Person } from '../../testkit/person.ts'

const app = useEmbeddedApp({ SIGN_UP: 'open' })

const badNames = {
  'a right-to-left override': 'Acme\u202e.cnI',
  'an isolate': 'Acme\u2066',
  'a control character': 'Acme\u001b[2J',
  'a line': 'Acme\nApproved',
  'a line separator': 'Acme\u2028Approved',
  'a zero-width character': 'Ac\u200bme',
  'an unpaired surrogate': 'Acme\ud800',
  'more than 128 characters': 'x'.repeat(129),
  'only a space': ' ',
}

describe('a name', () => {
  test.each(Object.entries(badNames))('is refused with %s', async (_, name) => {
    const slug = `o-${crypto.randomUUID()}`
    const email = `${slug}@example.com`
    const id = await invitation(app.owner, email)
    const profile = { name, email, password: goodPassword }
    const requests: [string, object][] = [
      ['/organization/create', { name, slug }],
      ['/organization/update', { data: { name } }],
      ['/update-user', { name }],
      ['/sign-up/email', profile],
      ['/links/sign-up', { id, name, password: goodPassword }],
      ['/passkey/verify-registration', { name, response: {} }],
      ['/passkey/update-passkey', { id: 'x', name }],
    ]
    app.owner.changeAddress()
    for (const [path, body] of requests) expect((await app.owner.post(path, body)).status, path).toBe(400)
    const token = await app.owner.token()
    const at = { orgSlug: 'acme', projectSlug: 'p' }
    const created = [
      await app.client.call('deviceStart', { clientName: name }),
      await app.client.call('tokenCreate', { orgSlug: 'acme', name }, { token }),
      await app.client.call('projectCreate', { ...at, name }, { token }),
      await app.client.call('stageCreate', { ...at, stageSlug: 's', name }, { token }),
    ]
    // A passkey name is optional and may be longer.
    const statuses = name.trim() === '' || name.length === 129 ? [200, 400, 400, 400] : [400, 400, 400, 400]
    expect(created.map(({ status }) => status)).toEqual(statuses)
  })

  test('is refused when the registration of a passkey starts', async () => {
    const name = encodeURIComponent(badNames['an isolate'])
    expect((await app.owner.get(`/passkey/generate-register-options?name=${name}`)).status).toBe(400)
  })

  test('is refused with an explanation', async () => {
    const { body } = await app.owner.post('/update-user', { name: badNames['a right-to-left override'] })
    expect(body).toEqual({
      code: 'INVALID_REQUEST',
      message: 'name: must have no invisible characters and none that change the writing direction.',
    })
  })

  test('in any language and with any visible character is accepted', async () => {
    for (const name of ['Zoë O’Brien', '用户', 'יעל', 'Ali رضا', 'R&D 👩‍💻', '<b>Acme</b>']) {
      expect((await app.owner.post('/update-user', { name })).status, name).toBe(200)
      expect((await app.owner.post('/organization/update', { data: { name } })).status, name).toBe(200)
    }
  })

  test('is refused at the setup too, without using up the link', async () => {
    const fresh = await startTestApp()
    const token = inLink(fresh.setupLink, 'token')
    const form = { token, email: 'ada@example.com', password: goodPassword, organizationSlug: 'acme' }
    const ada = new Person(fresh.url)
    const name = badNames['an isolate']
    expect((await ada.post('/links/setup', { ...form, name, organizationName: 'Acme' })).status).toBe(400)
    expect((await ada.post('/links/setup', { ...form, name: 'Ada', organizationName: name })).status).toBe(400)
    expect((await ada.post('/links/setup', { ...form, name: 'Ada', organizationName: 'Acme' })).status).toBe(200)
  })
})

test('a picture must be an https URL', async () => {
  for (const logo of [
    'javascript:alert(1)',
    'data:image/png;base64,AA==',
    'http://a.example/x.png',
    'x',
    'x'.repeat(60_000),
  ]) {
    expect((await app.owner.post('/organization/update', { data: { logo } })).status, logo.slice(0, 40)).toBe(400)
    expect((await app.owner.post('/update-user', { image: logo })).status, logo.slice(0, 40)).toBe(400)
    const slug = `o-${crypto.randomUUID()}`
    expect((await app.owner.post('/organization/create', { name: 'x', slug, logo })).status, logo.slice(0, 40)).toBe(
      400,
    )
  }
  const logo = 'https://a.example/x.png'
  expect((await app.owner.post('/organization/update', { data: { logo } })).status).toBe(200)
})

describe('a list of members', () => {
  const odd = [
    'sortBy=x',
    'sortBy=id%3Bdrop',
    'sortBy=user.email',
    'sortBy=role&sortDirection=up',
    'limit=x',
    'limit=-1',
    'limit=1e9',
    'offset=x',
    'filterField=x&filterValue=1',
    'filterField=role',
    'filterValue=owner',
    'filterField=role&filterOperator=in&filterValue=owner',
    'filterField=role&filterOperator=like&filterValue=owner',
    'filterField=createdAt&filterOperator=gt&filterValue=x',
    'filterField=role&filterValue=a&filterValue=b',
    'sortBy=role&sortBy=id',
  ]
  test.each(odd)('is refused by %s', async (parameters) => {
    const { status, body } = await app.owner.get(`/organization/list-members?${parameters}`)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(app.log.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })

  test('is sorted, filtered and limited by existing columns', async () => {
    await invite(app.owner)
    const count = async (parameters: string): Promise<unknown> => {
      const { status, body } = await app.owner.get(`/organization/list-members?${parameters}`)
      return status === 200 ? (body['members'] as unknown[]).length : status
    }
    expect(await count('sortBy=createdAt&sortDirection=desc')).toBe(2)
    expect(await count('filterField=role&filterValue=owner')).toBe(1)
    expect(await count('limit=1&offset=1')).toBe(1)
  })
})
