import type { Stage } from '@rollkey/sdk/core'
import { fireEvent, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { Toasts } from '../../ui/toasts.tsx'
import { EndProtectionDialog } from './end-protection-dialog.tsx'
import { RulesDrawer } from './rules-drawer.tsx'
import { labels } from './labels.ts'

const { rules: words } = labels
const protectPath = '/v1/stages/protect'
const freeze = { zone: 'UTC', from: 'fri 17:00', to: 'mon 08:00' }
const eve = { id: 'm2', userId: 'eve', role: 'member', user: { name: 'Eve', email: 'eve@example.com' } }
const viewer = { id: 'm1', userId: 'ada', role: 'owner', user: { name: 'Ada', email: 'ada@example.com' } }
const protection = { approvals: 1, selfApproval: true, bypassRole: null, stopVerb: 'write', freezes: [freeze] }

async function open(grants: readonly object[] = [], groups: readonly object[] = [], members: readonly object[] = []) {
  const requests = answer({
    '/v1/access/list': { defaultRole: 'developer', grants, protectedStages: [] },
    '/v1/roles/list': {
      roles: [
        { name: 'releaser', verbs: ['approve'] },
        { name: 'lead', verbs: ['read', 'write', 'approve', 'manage'] },
      ],
    },
    '/v1/groups/list': { groups },
    '/identity/organization/list-members': { members },
    '/v1/access/grant': {},
    '/v1/access/revoke': {},
    [protectPath]: { losing: [] },
  })
  const stage = { stageSlug: 'prod', name: 'Live', isProtected: true, protection } as unknown as Stage
  const onClose = vi.fn<() => void>()
  await render(
    <>
      <RulesDrawer projectSlug="shop" stage={stage} opened onClose={onClose} />
      <Toasts />
    </>,
  )
  return { requests, drawer: within(await screen.findByRole('dialog', { name: words.title('Live') })) }
}

test('says of a group of approvers that the identity provider fills it', async () => {
  const principal = { kind: 'group', id: 'g1' }
  const { drawer } = await open(
    [{ principal, role: 'releaser', projectSlug: 'shop', stageSlug: 'prod' }],
    [{ id: 'g1', name: 'On call', createdAtMs: 0, members: [], idpGroup: 'sre' }],
  )
  await drawer.findByText(words.approvers(['On call']))
  expect(
    drawer.queryByText('The identity provider decides who is in On call: it is everyone in its group sre.'),
  ).not.toBeNull()
})

test('shows what the stage requires, and saves all of it', async () => {
  const { requests, drawer } = await open()
  expect(drawer.getByLabelText<HTMLInputElement>(words.self).checked).toBe(true)
  fireEvent.change(drawer.getByLabelText(words.approvals), { target: { value: '2' } })
  await drawer.findByRole('option', { name: 'lead' })
  // Who may not write has nothing to apply.
  expect(drawer.queryByRole('option', { name: 'releaser' })).toBeNull()
  await userEvent.selectOptions(drawer.getByLabelText(words.bypass), 'lead')
  await userEvent.selectOptions(drawer.getByLabelText(words.stop), 'approve')
  await userEvent.click(drawer.getByRole('button', { name: words.addFreeze }))
  const second = within(drawer.getByRole('group', { name: words.freeze(2) }))
  await userEvent.selectOptions(second.getByLabelText(words.repeats), 'once')
  fireEvent.change(second.getByLabelText(words.from), { target: { value: '2050-12-20T17:00' } })
  fireEvent.change(second.getByLabelText(words.until), { target: { value: '2051-01-04T08:00' } })
  fireEvent.change(second.getByLabelText(words.zone), { target: { value: 'Europe/Berlin' } })
  await userEvent.click(drawer.getByRole('button', { name: words.removeFreeze(1) }))
  expect(document.activeElement?.textContent).toBe(words.addFreeze)
  await userEvent.click(drawer.getByRole('button', { name: words.saveAnyway }))
  await expect.poll(() => requests.some(({ path }) => path === protectPath)).toBe(true)
  expect(requests.find(({ path }) => path === protectPath)?.body).toMatchObject({
    approvals: 2,
    selfApproval: true,
    bypassRole: 'lead',
    stopVerb: 'approve',
    freezes: [{ zone: 'Europe/Berlin', from: '2050-12-20T17:00', to: '2051-01-04T08:00' }],
  })
})

test('names what is wrong at its field, and saves nothing', async () => {
  const { requests, drawer } = await open()
  fireEvent.change(drawer.getByLabelText(words.zone), { target: { value: 'Berlin' } })
  await userEvent.click(drawer.getByRole('button', { name: /^Save / }))
  await drawer.findByText(words.zoneProblem)
  expect(requests.some(({ path }) => path === protectPath)).toBe(false)
})

test('warns where too few people may approve', async () => {
  const grant = (id: string) => ({
    principal: { kind: 'user', id },
    role: 'releaser',
    projectSlug: 'shop',
    stageSlug: 'prod',
  })
  const { drawer } = await open([grant('eve')])
  expect(drawer.queryByText(words.fewApprovers(1, 1))).toBeNull()
  await userEvent.click(drawer.getByLabelText(words.self))
  await drawer.findByText(words.fewApprovers(1, 1))
})

/** Opens the form of a stage that is not protected, as someone who reads and writes it by the default role. */
async function openUnprotected(members: readonly object[] | (() => object) = []) {
  const stageGrant = { projectSlug: 'shop', stageSlug: 'prod' }
  const requests = answer({
    '/v1/whoami': { verbs: [{ verbs: ['list', 'read', 'write', 'manage'] }] },
    '/v1/access/list': {
      defaultRole: 'developer',
      grants: ['bob', 'eve'].map((id) => ({ principal: { kind: 'user', id }, role: 'developer', ...stageGrant })),
      protectedStages: [],
    },
    '/v1/roles/list': {
      roles: [
        { name: 'maintainer', verbs: ['list', 'read', 'write', 'approve', 'manage'] },
        { name: 'developer', verbs: ['list', 'read', 'write'] },
        { name: 'releaser', verbs: ['list', 'read', 'write', 'approve'] },
      ],
    },
    '/v1/groups/list': {
      groups: [
        { id: 'g1', name: 'On call', createdAtMs: 0, members: [{ kind: 'user', id: 'ada' }] },
        { id: 'g2', name: 'Others', createdAtMs: 0, members: [{ kind: 'user', id: 'bob' }] },
      ],
    },
    '/v1/access/grant': {},
    '/v1/access/revoke': {},
    '/identity/organization/list-members': typeof members === 'function' ? members : { members },
    [protectPath]: {
      losing: [
        { verbs: ['read', 'write'] },
        { principal: { kind: 'user', id: 'eve' }, verbs: ['approve'] },
        { principal: { kind: 'token', id: 't1' }, verbs: ['read'] },
      ],
    },
  })
  const stage = { stageSlug: 'prod', name: 'Live', isProtected: false } as unknown as Stage
  const onClose = vi.fn<() => void>()
  await render(
    <>
      <RulesDrawer projectSlug="shop" stage={stage} opened onClose={onClose} />
      <Toasts />
    </>,
  )
  const drawer = within(await screen.findByRole('dialog', { name: labels.protection.title('Live') }))
  await drawer.findByText(labels.protection.everyMember)
  const role = (who: string) => drawer.getByLabelText<HTMLSelectElement>(labels.protection.roleOf(who, 'Live'))
  const changes = ['/v1/access/grant', '/v1/access/revoke', protectPath]
  const sent = () => requests.filter(({ path }) => changes.includes(path)).map(({ body }) => body)
  return { drawer, role, sent, onClose }
}

test('protects a stage in one form: the viewer keeps what they had, and approvals', async () => {
  const { drawer, role, sent, onClose } = await openUnprotected()
  expect(role(labels.protection.you).value).toBe('developer')
  expect(role('On call').value).toBe('')
  expect(role('eve').selectedOptions[0]?.text).toBe('Loses approve')
  expect([...role('t1').options].map(({ value }) => value)).toEqual(['', 'developer'])
  expect(drawer.queryByLabelText(labels.protection.roleOf('Others', 'Live'))).toBeNull()
  await userEvent.selectOptions(role('On call'), 'releaser')
  fireEvent.change(drawer.getByLabelText(words.approvals), { target: { value: '1' } })
  expect(drawer.queryByText(words.fewApprovers(0, 1))).toBeNull()
  // Who keeps write access also approves what others propose.
  expect(role(labels.protection.you).value).toBe('releaser')
  const place = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
  expect(sent()).toEqual([{ ...place, isProtected: true, dryRun: true }])
  await userEvent.click(drawer.getByRole('button', { name: labels.protection.submit('Live') }))
  await expect.poll(() => onClose).toHaveBeenCalled()
  expect(sent().slice(1, 4)).toEqual([
    { ...place, principal: { kind: 'user', id: 'ada' }, role: 'releaser' },
    { ...place, principal: { kind: 'group', id: 'g1' }, role: 'releaser' },
    {
      ...place,
      isProtected: true,
      approvals: 1,
      selfApproval: false,
      bypassRole: null,
      stopVerb: 'write',
      freezes: [],
    },
  ])
})

test('suggests one approval where others are members, and keeps another number while members join', async () => {
  const joined = [viewer, eve]
  const { drawer } = await openUnprotected(() => ({ members: joined }))
  const approvals = () => drawer.getByLabelText<HTMLInputElement>(words.approvals)
  expect(approvals().value).toBe('1')
  fireEvent.change(approvals(), { target: { value: '0' } })
  joined.push({ ...eve, id: 'm3', userId: 'zoe', user: { name: 'Zoe', email: 'zoe@example.com' } })
  fireEvent(globalThis.window, new Event('visibilitychange'))
  await drawer.findByRole('option', { name: 'Zoe' })
  expect(approvals().value).toBe('0')
})

test('suggests no approval to the only member, nor later when someone joins', async () => {
  const joined = [viewer]
  const { drawer } = await openUnprotected(() => ({ members: joined }))
  const approvals = () => drawer.getByLabelText<HTMLInputElement>(words.approvals)
  expect(approvals().value).toBe('0')
  joined.push({ ...eve, id: 'm3', userId: 'zoe', user: { name: 'Zoe', email: 'zoe@example.com' } })
  fireEvent(globalThis.window, new Event('visibilitychange'))
  await drawer.findByRole('option', { name: 'Zoe' })
  expect(approvals().value).toBe('0')
})

test('shows no number before the members are known', async () => {
  const read = Promise.withResolvers<object>()
  const opening = openUnprotected(() => read.promise)
  const drawer = within(await screen.findByRole('dialog', { name: labels.protection.title('Live') }))
  await drawer.findByRole('status', { name: 'Loading' })
  expect(drawer.queryByLabelText(words.approvals)).toBeNull()
  read.resolve({ members: [viewer, eve] })
  await opening
  expect(drawer.getByLabelText<HTMLInputElement>(words.approvals).value).toBe('1')
})

test('grants nothing to whom the form takes the role from, and warns that no one may approve', async () => {
  const { drawer, role, sent, onClose } = await openUnprotected()
  await userEvent.selectOptions(role(labels.protection.you), '')
  fireEvent.change(drawer.getByLabelText(words.approvals), { target: { value: '1' } })
  await drawer.findByText(words.fewApprovers(0, 1))
  await userEvent.click(drawer.getByRole('button', { name: labels.protection.submitAnyway }))
  await expect.poll(() => onClose).toHaveBeenCalled()
  expect(sent()[1]).toMatchObject({ isProtected: true, approvals: 1 })
  await screen.findByText(labels.protection.doneInVain('Live'))
  expect(screen.queryByRole('button', { name: words.openAccess })).not.toBeNull()
})

test('lets a group, the viewer or a member approve by one click, until enough do', async () => {
  const { drawer, role, sent } = await openUnprotected([eve, viewer])
  fireEvent.change(drawer.getByLabelText(words.approvals), { target: { value: '1' } })
  await userEvent.selectOptions(role(labels.protection.you), 'developer')
  await drawer.findByText(words.fewApprovers(0, 1))
  const offers = () => drawer.queryAllByRole('button', { name: /^Let / }).map(({ textContent }) => textContent)
  expect(offers()).toEqual([
    words.letApprove('On call'),
    words.letApprove('Others'),
    words.letYou,
    words.letApprove('Eve'),
  ])
  await userEvent.click(drawer.getByRole('button', { name: words.letYou }))
  expect(role(labels.protection.you).value).toBe('releaser')
  // On call has no one else.
  expect(offers()).toEqual([words.letApprove('Others'), words.letApprove('Eve')])
  expect(drawer.queryByText(words.onlyYou)).not.toBeNull()
  expect(document.activeElement).toBe(drawer.getByLabelText(words.approvals))
  await userEvent.click(drawer.getByRole('button', { name: words.letApprove('Eve') }))
  expect(role('Eve').value).toBe('releaser')
  expect(offers()).toEqual([])
  await userEvent.click(drawer.getByRole('button', { name: labels.protection.submit('Live') }))
  await screen.findByText(labels.protection.done('Live'))
  expect(sent().slice(1, 3)).toMatchObject([
    { principal: { id: 'ada' }, role: 'releaser' },
    { principal: { id: 'eve' }, role: 'releaser' },
  ])
})

test('also lets people approve where the stage is protected already, and its undo takes that back', async () => {
  const { requests, drawer } = await open(
    [],
    [{ id: 'g1', name: 'On call', createdAtMs: 0, members: [], idpGroup: 'sre' }],
  )
  await drawer.findByRole('button', { name: words.saveAnyway })
  await userEvent.click(drawer.getByRole('button', { name: words.letApprove('On call') }))
  await userEvent.click(drawer.getByRole('button', { name: words.save('Live') }))
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  const principal = { kind: 'group', id: 'g1' }
  const changes = ['/v1/access/grant', '/v1/access/revoke', protectPath]
  await expect
    .poll(() => requests.filter(({ path }) => changes.includes(path)).map(({ body }) => body))
    .toMatchObject([{ principal, role: 'lead' }, protection, protection, { principal }])
})

test('lets both approve by one click where a change needs both', async () => {
  const { requests, drawer } = await open([], [], [eve, viewer])
  fireEvent.click(drawer.getByLabelText(words.self))
  await userEvent.click(await drawer.findByRole('button', { name: 'Let both approve' }))
  expect(drawer.queryAllByRole('button', { name: /^Let / })).toEqual([])
  await userEvent.click(drawer.getByRole('button', { name: words.save('Live') }))
  await expect.poll(() => requests.some(({ path }) => path === protectPath)).toBe(true)
  const granted = requests.flatMap(({ path, body }) => (path === '/v1/access/grant' ? [body] : []))
  expect(granted).toMatchObject([
    { principal: { kind: 'user', id: 'ada' }, role: 'lead' },
    { principal: { kind: 'user', id: 'eve' }, role: 'lead' },
  ])
})

test('offers those who join while it is open, and keeps what was entered', async () => {
  const joined = [viewer]
  const { drawer, role } = await openUnprotected(() => ({ members: joined }))
  await userEvent.selectOptions(role('On call'), 'releaser')
  expect(drawer.queryByRole('option', { name: 'Zoe' })).toBeNull()
  joined.push({ ...eve, id: 'm3', userId: 'zoe', user: { name: 'Zoe', email: 'zoe@example.com' } })
  fireEvent(globalThis.window, new Event('visibilitychange'))
  await drawer.findByRole('option', { name: 'Zoe' })
  expect(role('On call').value).toBe('releaser')
})

test('adds someone who then keeps access and may approve, and says who may', async () => {
  const { drawer, role, sent, onClose } = await openUnprotected()
  fireEvent.change(drawer.getByLabelText(words.approvals), { target: { value: '1' } })
  await userEvent.selectOptions(role(labels.protection.you), 'developer')
  await drawer.findByText(words.fewApprovers(0, 1))
  await userEvent.selectOptions(drawer.getByLabelText(labels.protection.add), 'Others')
  // What is suggested also approves, because changes need that.
  expect(role('Others').value).toBe('releaser')
  await drawer.findByText(words.approvers(['Others']))
  await userEvent.click(drawer.getByRole('button', { name: labels.protection.submit('Live') }))
  await expect.poll(() => onClose).toHaveBeenCalled()
  expect(sent()).toContainEqual(expect.objectContaining({ principal: { kind: 'group', id: 'g2' }, role: 'releaser' }))
})

test('unfolds what a problem is in', async () => {
  const { drawer } = await openUnprotected()
  const more = drawer.getByText(words.more).closest('details')
  expect(more?.open).toBe(false)
  fireEvent.click(drawer.getByRole('button', { name: words.addFreeze, hidden: true }))
  fireEvent.change(drawer.getByLabelText(words.zone), { target: { value: 'Berlin' } })
  await userEvent.click(drawer.getByRole('button', { name: labels.protection.submit('Live') }))
  await drawer.findByText(words.zoneProblem)
  expect(more?.open).toBe(true)
  expect(document.activeElement).toBe(drawer.getByLabelText(words.zone))
})

test('the undo of a protection brings back the roles that it replaced', async () => {
  const { drawer, role, sent } = await openUnprotected()
  await userEvent.selectOptions(role('eve'), 'releaser')
  await userEvent.click(drawer.getByRole('button', { name: labels.protection.submit('Live') }))
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  const place = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
  // Each change makes the form ask again who would lose what.
  const changed = () => sent().filter((body) => !Object.hasOwn(body as object, 'dryRun'))
  await expect
    .poll(() => changed().slice(3))
    .toEqual([
      { ...place, isProtected: false },
      { ...place, principal: { kind: 'user', id: 'ada' } },
      { ...place, principal: { kind: 'user', id: 'eve' }, role: 'developer' },
    ])
})

test('takes a protection back as it was', async () => {
  const requests = answer({ [protectPath]: { losing: [] } })
  const stage = { stageSlug: 'prod', name: 'Live', isProtected: true, protection } as unknown as Stage
  await render(
    <>
      <EndProtectionDialog projectSlug="shop" stage={stage} opened onClose={() => {}} />
      <Toasts />
    </>,
  )
  await userEvent.click(await screen.findByRole('button', { name: labels.protection.endSubmit }))
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  const place = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
  const sent = () => requests.filter(({ path }) => path === protectPath).map(({ body }) => body)
  await expect.poll(sent).toEqual([
    { ...place, isProtected: false },
    { ...place, ...protection, isProtected: true },
  ])
})
