/** On a terminal, lists show what people are called; a pipe gets emails, which do not depend on that. */
import { beforeEach, expect, test } from 'vitest'
import { useFixture } from '../../../server/testkit/fixture.ts'
import { temporaryFolder } from '../../../server/testkit/folder.ts'
import { environmentAt, startHostileService } from '../../testkit/hostile-service.ts'
import { inProcess, onTerminal, type Setting } from '../../testkit/run.ts'

const service = useFixture(startHostileService)

/** The setting of Ada, a member as Grace is. The third person is none. */
function setting(): Setting {
  return { env: { ...environmentAt(service), HOME: temporaryFolder(), NO_COLOR: '1' }, cwd: '/' }
}

beforeEach(() => {
  const change = { kind: 'secret', digests: { value: 'd' }, name: 'A', change: 'created', writtenAtMs: 0 }
  const entry = { atMs: 0, action: 'member.update', names: [] }
  const place = { projectSlug: 'shop', stageSlug: 'dev' }
  const approvals = { required: 0, approvers: [], rejectors: [], isApproved: true }
  const listed = { id: 'chg_1', state: 'applied', names: ['A'], nameCount: 1, reason: 'r', approvals }
  const by = { proposedBy: 'u-grace', proposedWith: 'dashboard', proposedAtMs: 0 }
  const proposed = { ...place, ...listed, ...by, items: [], reviews: [], source: {} }
  Object.assign(service.answers, {
    '/v1/whoami': { orgSlug: 'acme', idpUserId: 'u-ada', name: 'Ada Lovelace', email: 'ada@example.com' },
    '/v1/organization/members': {
      members: [{ id: 'u-grace', name: 'Grace Hopper', email: 'grace@example.com', role: 'member' }],
      isExternal: false,
    },
    '/v1/tokens/list': { tokens: [{ id: 'tok_1', name: 'ci' }] },
    '/v1/trusts/list': { trusts: [] },
    '/v1/env/list': { revision: 3, variables: [] },
    '/v1/env/history': {
      changes: [
        { ...change, revision: 3, writtenBy: 'u-grace' },
        { ...change, revision: 2, writtenBy: 'u-unknown' },
        { ...change, revision: 1, writtenBy: 'u-ada' },
      ],
    },
    '/v1/audit/list': {
      entries: [
        { ...entry, seq: 2, actor: 'u-grace', facts: { userId: 'u-ada', role: 'member' } },
        { ...entry, seq: 3, facts: { principal: { kind: 'email', id: 'bob@example.com' } } },
        { ...entry, seq: 1, actor: 'tok_1', facts: { principal: { kind: 'user', id: 'u-unknown' }, members: [] } },
      ],
    },
    '/v1/projects/list': { projects: [{ ...place, stages: [place] }] },
    '/v1/access/explain': { verbs: ['list'], isProtected: false, sources: [] },
    '/v1/changes/list': { changes: [proposed], more: false },
    '/v1/changes/show': proposed,
  })
})

test.each([
  [['history'], ['Grace Hopper', 'user:u-unknown', 'you'], ['grace@example.com', 'user:u-unknown', 'you']],
  [
    ['audit'],
    ['Grace Hopper', 'userId=you', 'token:ci', 'principal=user:u-unknown\n'],
    ['grace@example.com', 'userId=you', 'principal=bob@example.com\n', 'principal=user:u-unknown\n'],
  ],
  [['change', 'list'], ['Grace Hopper'], ['grace@example.com']],
  [['change', 'show', 'chg_1'], ['Proposed by Grace Hopper'], ['Proposed by grace@example.com']],
])('%j', async (args, names, emails) => {
  const { status, screen } = await onTerminal(args, setting())
  expect(status, screen).toBe(0)
  for (const name of names) expect(screen).toContain(name)
  const { stdout, stderr } = await inProcess(args, setting())
  for (const email of emails) expect(stdout + stderr).toContain(email)
})

test('access explain says of an email that it is not one of a member', async () => {
  const explain = async (who: string) =>
    (await inProcess(['access', 'explain', who, 'dev', '--project', 'shop'], setting())).stderr
  const note = 'bob@example.com is not a member yet: they would have this access as one.\n'
  const verdict = (who: string) =>
    `In shop/dev, ${who} may list the names, but not read the values, change variables, approve changes, or manage access.\n`
  expect(await explain('bob@example.com')).toBe(note + verdict('bob@example.com'))
  expect(await explain('Grace@example.com')).toBe(verdict('Grace@example.com'))
  service.answers['/v1/organization/members'] = { members: [], isExternal: true }
  expect(await explain('bob@example.com')).toBe(verdict('bob@example.com'))
  service.answers['/v1/access/explain'] = { verbs: [], isProtected: false, sources: [] }
  expect(await explain('bob@example.com')).toBe('In shop/dev, bob@example.com may do nothing.\n')
})

test('a part of an email leads to the email of a member', async () => {
  const explain = async (who: string) =>
    (await inProcess(['access', 'explain', who, 'dev', '--project', 'shop'], setting())).stderr
  expect(await explain('Grace')).toContain('user:ID). Did you mean "grace@example.com"?')
  expect(await explain('gra')).not.toContain('Did you mean')
})

test('access grant says of an email that it is not one of a member', async () => {
  service.answers['/v1/access/grant'] = {}
  const grant = async (who: string) =>
    (await inProcess(['access', 'grant', who, 'reader', 'dev', '--project', 'shop'], setting())).stderr
  expect(await grant('bob@example.com')).toContain(
    'bob@example.com is not a member yet: the role counts once they join. ',
  )
  expect(await grant('grace@example.com')).toBe('grace@example.com has the role reader on shop/dev.\n')
})

test('access holders names groups, or their ids if the caller may not see them', async () => {
  const holder = {
    principal: { kind: 'user', id: 'u-grace', email: 'grace@example.com' },
    role: 'reader',
    via: 'grp_1',
  }
  service.answers['/v1/access/holders'] = { holders: [holder], members: false, isProtected: false, atMs: 0 }
  service.answers['/v1/groups/list'] = { groups: [{ id: 'grp_1', name: 'On call', members: [] }] }
  const holders = async () => (await inProcess(['access', 'holders', 'dev', '--project', 'shop'], setting())).stdout
  expect(await holders()).toContain('\tgroup:On call\n')
  service.answers['/v1/groups/list'] = { error: { code: 'FORBIDDEN', message: 'No.', requestId: 'r' } }
  expect(await holders()).toContain('\tgroup:grp_1\n')
})

test('who may see no names sees ids', async () => {
  for (const path of ['organization/members', 'tokens/list', 'trusts/list'])
    service.answers[`/v1/${path}`] = { error: { code: 'FORBIDDEN', message: 'No.', requestId: 'r' } }
  const { status, screen } = await onTerminal(['history'], setting())
  expect(status, screen).toBe(0)
  expect(screen).toContain('user:u-grace')
  expect(screen).toContain('you')
})
