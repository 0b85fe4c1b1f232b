/** The limit of organizations per person: each one takes CPU time, disk space and a plan. */
import { expect, test } from 'vitest'
import { startTestApp } from '../../testkit/app.ts'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { goodPassword, invite, Person, setUp } from '../../testkit/person.ts'

const app = useEmbeddedApp({ SIGN_UP: 'open' })

function create(person: Person, slug = `o-${crypto.randomUUID()}`): ReturnType<Person['post']> {
  return person.post('/organization/create', { name: 'Another', slug })
}

function statusesOf(answers: readonly { readonly status: number }[]): number[] {
  return answers.map(({ status }) => status).toSorted((a, b) => a - b)
}

test('a person owns three organizations at most, even if many are created at once', async () => {
  const eve = new Person(app.url)
  await eve.must('/sign-up/email', { name: 'Eve', email: eve.email, password: goodPassword })
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(eve)))
  expect(statusesOf(answers)).toEqual([200, 200, 200, 403, 403, 403, 403, 403])
  const { body } = await create(eve)
  expect(body).toEqual({
    code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
    message: 'You own the maximum of 3 organizations: ask the operator for a higher limit.',
  })
  expect((await eve.get('/organization/list')).body).toHaveLength(3)
})

test('memberships in other organizations do not count', async () => {
  const grace = await invite(app.owner, 'admin')
  expect(statusesOf(await Promise.all([create(grace), create(grace), create(grace)]))).toEqual([200, 200, 200])
  expect((await create(grace)).status).toBe(403)
})

test('a slug goes to one of many people who request it at once', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => invite(app.owner)))
  const answers = await Promise.all(people.map((person) => create(person, 'wanted')))
  expect(statusesOf(answers)).toEqual([200, 400, 400, 400])
  const codes = answers.filter(({ status }) => status === 400).map(({ body }) => body.code)
  expect(new Set(codes)).toEqual(new Set(['ORGANIZATION_ALREADY_EXISTS']))
})

test('the setting allows more, and 0 is unlimited', async () => {
  for (const [setting, allowed] of [
    ['1', 0],
    ['0', 4],
  ] as const) {
    const other = await startTestApp({ ORGANIZATIONS_PER_PERSON: setting })
    const ada = await setUp(other)
    const statuses = statusesOf(await Promise.all(Array.from({ length: 4 }, () => create(ada))))
    expect(statuses.filter((status) => status === 200)).toHaveLength(allowed)
  }
})
