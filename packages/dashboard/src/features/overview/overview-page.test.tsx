import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Suspense } from 'react'
import { describe, expect, it } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { type EmbeddedViewer, ViewerContext } from '../../session/viewer.ts'
import { labels } from './labels.ts'
import { OverviewPage } from './overview-page.tsx'

const hourMs = 3_600_000
const shop = { projectSlug: 'shop', stageSlug: 'prod' }
const today = new Date().toISOString().slice(0, 10)
const fortyDaysAgo = new Date(Date.now() - 40 * 24 * hourMs).toISOString().slice(0, 10)

const viewer: EmbeddedViewer = {
  provider: 'embedded',
  userId: 'ada',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  sessionId: 'session-1',
  organizations: [],
  organization: undefined,
}

function stage(stageSlug: string, name: string, variables: number, isProduction = false) {
  return { stageSlug, name, variables, isProduction, revision: 1, createdAtMs: 0, updatedAtMs: 1 }
}

const projects = [
  {
    projectSlug: 'shop',
    name: 'Web shop',
    createdAtMs: 0,
    stages: [stage('dev', 'Dev', 3), stage('prod', 'Live', 2, true)],
  },
]

const revision = {
  ...shop,
  revision: 4,
  writtenAtMs: Date.now() - 3 * hourMs,
  writtenBy: 'grace',
  client: 'web',
  changes: [{ name: 'API_KEY', change: 'updated' }],
  changeCount: 3,
}

const roll = {
  ...shop,
  name: 'CHECKOUT',
  createdAtMs: 0,
  updatedAtMs: 1,
  chanceSinceMs: 1,
  chance: 0.5,
  served: { a: 800, b: 200 },
  sinceChance: { a: 800, b: 200 },
}

const nothing = { missing: [], overdue: [], misfits: [], expiringTokens: [] }

const full = {
  '/v1/whoami': { role: 'owner' },
  '/v1/web/settings': { provider: 'embedded', publicUrl: 'https://rollkey.example.com' },
  '/v1/projects/list': { projects },
  '/v1/organization/attention': nothing,
  '/v1/history/recent': { revisions: [revision] },
  '/v1/rolls/list': { rolls: [roll, { ...roll, name: 'DONE', chance: 1 }], more: false },
  '/v1/usage/show': {
    months: [{ month: today.slice(0, 7), evaluations: 120 }],
    days: [
      { day: today, ...shop, evaluations: 120 },
      { day: fortyDaysAgo, ...shop, evaluations: 100 },
    ],
    storage: { bytes: 0, byStage: [] },
    plan: { name: 'free', evaluationsPerMonth: 240 },
  },
  '/v1/sessions/list': { sessions: [] },
  '/v1/tokens/list': { tokens: [] },
  '/identity/organization/list-members': () =>
    Response.json({
      members: [{ id: 'm', userId: 'grace', role: 'member', user: { name: 'Grace Hopper', email: '' } }],
    }),
  '/identity/organization/list-invitations': () => Response.json([]),
}

async function show(answers: Readonly<Record<string, unknown>> = {}): Promise<void> {
  answer({ ...full, ...answers })
  await render(
    <ViewerContext value={viewer}>
      <Suspense>
        <OverviewPage />
      </Suspense>
    </ViewerContext>,
  )
}

describe('the overview', () => {
  it('shows changes, rolls in progress, evaluations and projects', async () => {
    await show()
    const changes = within(await screen.findByRole('list', { name: labels.changes.title }))
    const change = await changes.findByRole('link', { name: 'Grace Hopper changed API_KEY and 2 more' })
    expect(change.getAttribute('href')).toBe('/o/acme/p/shop/history?stage=prod&revision=%224%22')
    expect(changes.queryByText('Web shop / Live')).not.toBeNull()
    expect(changes.queryByText('3 hours ago')).not.toBeNull()
    const rolls = within(await screen.findByRole('list', { name: labels.rolls.title }))
    expect(rolls.getAllByRole('link').map(({ textContent }) => textContent)).toEqual(['CHECKOUT'])
    expect(rolls.queryByText('Doesn’t fit the chance')).not.toBeNull()
    expect(rolls.getByRole('img', { name: /^Served A: 80/ })).not.toBeNull()
    expect(screen.queryByText('20% more than in the 30 days before')).not.toBeNull()
    expect(screen.queryByText('50% of 240')).not.toBeNull()
    expect(screen.getByRole('link', { name: 'Web shop' }).getAttribute('href')).toBe('/o/acme/p/shop')
    expect(screen.queryByText(`${labels.attention.clear}.`)).not.toBeNull()
  })

  it.each([
    ['grace', 'Grace Hopper’s change “First key” changed API_KEY and 2 more'],
    ['ada', 'Grace Hopper’s change “First key”, applied by ada, changed API_KEY and 2 more'],
  ])('says whose proposed change %s applied', async (writtenBy, text) => {
    const origin = { changeId: 'chg_1', reason: 'First key', proposedBy: 'grace', proposedWith: 'web' }
    await show({ '/v1/history/recent': { revisions: [{ ...revision, writtenBy, ...origin }] } })
    expect(await screen.findByRole('link', { name: text })).not.toBeNull()
  })

  it('leads through a demo in place of the first steps, until the tour is hidden', async () => {
    await show({ '/v1/web/settings': { provider: 'embedded', publicUrl: 'https://rollkey.example.com', isDemo: true } })
    const first = await screen.findByRole('link', { name: labels.tour.stops.table.title })
    expect(first.getAttribute('href')).toBe('/o/acme/p/shop')
    expect(screen.queryByText(labels.steps.title)).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: labels.tour.hide }))
    expect(screen.queryByText(labels.tour.title)).toBeNull()
    expect(localStorage.getItem('rollkey-tour-hidden:acme:ada')).toBe('true')
  })

  it.each([
    [labels.tour.stops.review.title, [false]],
    ['A change waits for you', [true, false]],
    ['2 changes wait for you', [true, true]],
  ])('says in the tour of a demo: %s', async (title, needs) => {
    const approvals = { approvers: [], rejectors: [], isApproved: false }
    const change = { ...shop, names: ['A'], nameCount: 1, state: 'open', proposedBy: 'grace', reason: 'Why', approvals }
    await show({
      '/v1/web/settings': { provider: 'embedded', publicUrl: 'https://rollkey.example.com', isDemo: true },
      '/v1/changes/list': { changes: needs.map((needsYou, id) => ({ ...change, id: `chg_${id}`, needsYou })) },
    })
    const link = await screen.findByRole('link', { name: title })
    expect(link.getAttribute('href')).toBe('/o/acme/changes')
  })

  it('leads to a change that waits for the viewer', async () => {
    const approvals = { approvers: [], rejectors: [], isApproved: false }
    const approved = { approvals: { ...approvals, isApproved: true, required: 1 } }
    const free = { approvals: { ...approvals, isApproved: true, required: 0 } }
    const rejected = { approvals: { ...approvals, rejectors: ['grace'] } }
    const own = { proposedBy: 'ada' }
    const waiting = [
      { needsYou: true, reason: 'Theirs' },
      { reason: 'Not yours' },
      { ...own, reason: 'New' },
      { ...own, ...approved, reason: 'Approved' },
      { ...own, ...free, reason: 'Free' },
      { ...own, ...approved, reason: 'Timed', applyAtMs: 1 },
      { approvals: { ...approved.approvals, approvers: ['ada'] }, reason: 'Approved, of Grace' },
      { ...approved, reason: 'Approved by others' },
      { ...free, reason: 'Free, not yours' },
      { ...own, ...rejected, reason: 'Rejected' },
      { ...own, reason: 'Failed', state: 'failed' },
      { reason: 'Failed, not yours', state: 'failed' },
    ]
    const named = { names: ['API_KEY'], nameCount: 1 }
    const change = { ...shop, ...named, state: 'open', needsYou: false, proposedBy: 'grace', approvals }
    await show({
      '/v1/changes/list': { changes: waiting.map((each, id) => ({ ...change, id: `chg_${id}`, ...each })) },
    })
    const attention = within(await screen.findByRole('list', { name: labels.attention.title }))
    const links = attention.getAllByRole('link').map(({ textContent }) => textContent)
    const { review, apply, applyFreely, edit, failed } = labels.attention.changes
    expect(links).toEqual([
      review('Theirs'),
      apply('Approved'),
      applyFreely('Free'),
      apply('Approved, of Grace'),
      edit('Rejected', ['Grace Hopper']),
      failed('Failed'),
    ])
    expect(attention.getAllByText('API_KEY').map(({ parentElement }) => parentElement?.textContent)).toEqual(
      Array.from({ length: 6 }, () => 'API_KEY · Web shop / Live'),
    )
  })

  it('leads to a change that is out of date, and to a paused rollout', async () => {
    const approvals = { approvers: [], rejectors: [], isApproved: false }
    const named = { names: ['API_KEY'], nameCount: 1 }
    const change = { ...shop, ...named, id: 'chg_1', reason: 'Half of them', state: 'open', approvals }
    await show({
      '/v1/changes/list': {
        changes: [
          { ...change, conflictAt: 7 },
          { ...change, id: 'chg_2' },
          { ...change, id: 'chg_3', reason: 'Climbing', state: 'paused' },
        ],
      },
    })
    const attention = within(await screen.findByRole('list', { name: labels.attention.title }))
    const [link, paused, ...others] = attention.getAllByRole('link')
    expect(link?.textContent).toBe('The change “Half of them” is out of date and cannot be applied')
    expect(link?.getAttribute('href')).toBe('/o/acme/changes/chg_1?project=shop&stage=prod')
    expect(paused?.textContent).toBe('The rollout “Climbing” is paused')
    expect(others).toEqual([])
    expect(screen.queryByText(`${labels.attention.clear}.`)).toBeNull()
  })

  describe('tells the proposer of a change who ended it', () => {
    const approvals = { approvers: [], rejectors: [], isApproved: true, required: 1 }
    const named = { names: ['API_KEY'], nameCount: 1, approvals, needsYou: false }
    const settledAtMs = Date.now() - 2 * hourMs
    const own = { ...shop, ...named, state: 'applied', proposedBy: 'ada', settledBy: 'grace', settledAtMs }
    const week = 7 * 24 * hourMs
    const changes = [
      { ...own, reason: 'First key' },
      { ...own, reason: 'Old', settledAtMs: Date.now() - week - hourMs },
      { ...own, reason: 'Withdrawn', state: 'withdrawn' },
      { ...own, reason: 'Stopped', state: 'aborted', settledBy: undefined },
      { ...own, reason: 'At its time', settledBy: undefined },
      { ...own, reason: 'By myself', settledBy: 'ada' },
      { ...own, reason: 'Not yours', proposedBy: 'bo' },
    ].map((each, id) => ({ ...each, id: `chg_${id}` }))
    const list = (body: { readonly states: readonly string[] }) => ({
      changes: changes.filter(({ state }) => body.states.includes(state)),
      more: false,
    })

    it('for a week, until they have opened or hidden it', async () => {
      await show({ '/v1/changes/list': list })
      const attention = within(await screen.findByRole('list', { name: labels.attention.title }))
      const texts = () => attention.getAllByRole('link').map(({ textContent }) => textContent)
      await attention.findByRole('link', { name: 'Grace Hopper applied your change “First key”' })
      expect(texts()).toEqual([
        'Grace Hopper applied your change “First key”',
        'Grace Hopper withdrew your change “Withdrawn”',
        'The service aborted your rollout “Stopped”',
      ])
      expect(attention.getAllByText('2 hours ago')).toHaveLength(3)
      await userEvent.click(attention.getByRole('button', { name: labels.attention.hideEnded('First key') }))
      expect(texts()).not.toContain('Grace Hopper applied your change “First key”')
      expect(localStorage.getItem('rollkey-seen-ends:acme:ada')).toBe('["chg_0"]')
    })

    it('no more where the browser has noted that', async () => {
      localStorage.setItem('rollkey-seen-ends:acme:ada', '["chg_0","chg_2","chg_3"]')
      await show({ '/v1/changes/list': list })
      expect(await screen.findByText(`${labels.attention.clear}.`)).not.toBeNull()
    })
  })

  it('joins what a person changed in several stages at the same time', async () => {
    const created = { ...revision, changes: [{ name: 'SENTRY_DSN', change: 'created' }], changeCount: 1 }
    const dev = { ...created, stageSlug: 'dev', writtenAtMs: created.writtenAtMs - 1_000 }
    const earlier = { ...created, stageSlug: 'old', revision: 1, writtenAtMs: created.writtenAtMs - hourMs }
    await show({ '/v1/history/recent': { revisions: [created, dev, earlier] } })
    const changes = within(await screen.findByRole('list', { name: labels.changes.title }))
    const links = await changes.findAllByRole('link', { name: 'Grace Hopper added SENTRY_DSN' })
    expect(links).toHaveLength(2)
    expect(changes.queryByText('Web shop / Dev and Live')).not.toBeNull()
    expect(changes.queryByText('Web shop / old')).not.toBeNull()
  })

  it('leads to what needs attention', async () => {
    const expiresAtMs = Date.now() + 5 * 24 * hourMs
    await show({
      '/v1/organization/attention': {
        missing: [{ ...shop, count: 12, names: ['A', 'B'] }],
        overdue: [{ ...shop, count: 3, names: ['API_KEY', 'DB_PASSWORD'] }],
        misfits: [{ ...shop, name: 'CHECKOUT' }],
        expiringTokens: [{ id: 'tok_1', name: 'CI', expiresAtMs }],
      },
    })
    const attention = within(await screen.findByRole('list', { name: labels.attention.title }))
    const missing = await attention.findByRole('link', { name: '12 variables are missing in Web shop / Live' })
    expect(missing.getAttribute('href')).toBe('/o/acme/p/shop?missing=prod')
    expect(attention.queryByText('A, B and 10 more')).not.toBeNull()
    // It has fewer than half of them, so that people still fill it.
    await attention.findByText('2 of 14 set')
    const overdue = attention.getByRole('link', { name: '3 variables are due for another value in Web shop / Live' })
    expect(overdue.getAttribute('href')).toBe('/o/acme/p/shop')
    const rotate = attention.getByRole('link', { name: 'Rotate DB_PASSWORD…' })
    expect(rotate.getAttribute('href')).toBe('/o/acme/p/shop?variable=DB_PASSWORD&stage=prod')
    expect(rotate.closest('div')?.textContent).toBe('API_KEY, DB_PASSWORD and 1 more')
    const misfit = attention.getByRole('link', { name: `CHECKOUT ${labels.attention.misfit}` })
    expect(misfit.getAttribute('href')).toBe('/o/acme/p/shop/roll?stage=prod&name=CHECKOUT')
    expect(attention.getByRole('link', { name: 'CI expires in 5 days' })).not.toBeNull()
    expect(screen.queryByText(`${labels.attention.clear}.`)).toBeNull()
  })

  it('leads those who manage them to webhooks from which nothing arrives', async () => {
    const hook = { id: 'hok_1', name: 'Deploys', events: [], failure: '503', failingSinceMs: Date.now() - 2 * hourMs }
    const hooks = [
      hook,
      { ...hook, id: 'hok_2', name: 'Chat', offSinceMs: Date.now() },
      { ...hook, id: 'hok_3', name: 'Restarts', failingSinceMs: Date.now() - 60_000 },
      { id: 'hok_4', name: 'Switched off by hand', events: [], offSinceMs: 1 },
    ]
    await show({ '/v1/hooks/list': { hooks } })
    const attention = within(await screen.findByRole('list', { name: labels.attention.title }))
    const links = attention.getAllByRole('link')
    expect(links.map(({ textContent }) => textContent)).toEqual([
      labels.attention.hookFailing('Deploys'),
      labels.attention.hookOff('Chat'),
    ])
    expect(links[0]?.getAttribute('href')).toBe('/o/acme/settings/webhooks')
  })

  it.each([
    { replica: { lagMs: 3 * hourMs, isReplaced: false }, expected: labels.attention.replicaBehind('3 hr') },
    { replica: { isReplaced: true }, expected: labels.attention.replicaReplaced },
  ])('tells owners what a loss of the disk would cost: $replica', async ({ replica, expected }) => {
    await show({ '/v1/organization/attention': { ...nothing, replica } })
    const attention = within(await screen.findByRole('list', { name: labels.attention.title }))
    expect(attention.getByText(expected)).toBeDefined()
  })

  it('shows the other parts where one fails, which can be tried again', async () => {
    let isDown = true
    const unavailable = { error: { code: 'SERVICE_UNAVAILABLE', message: 'Down', requestId: 'r' } }
    await show({
      '/v1/history/recent': () => (isDown ? Response.json(unavailable, { status: 503 }) : { revisions: [revision] }),
    })
    await screen.findByRole('alert')
    await screen.findByRole('list', { name: labels.rolls.title })
    isDown = false
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await screen.findByRole('list', { name: labels.changes.title })
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

describe('the first steps', () => {
  it('are checked by what is there, and stay hidden in this browser', async () => {
    await show({ '/v1/projects/list': { projects: [] } })
    await screen.findByText(labels.steps.progress(0, 5))
    expect(screen.getByRole('button', { name: 'Create a project, to do' }).getAttribute('aria-expanded')).toBe('true')
    expect(screen.getAllByRole('button', { name: /, to do$/ }).map(({ textContent }) => textContent)).toEqual(
      (['project', 'variable', 'login', 'token', 'invite'] as const).map((key) => `${labels.steps[key].title}, to do`),
    )
    await userEvent.click(screen.getByRole('button', { name: labels.steps.hide }))
    expect(screen.queryByText(labels.steps.title)).toBeNull()
    await show({ '/v1/projects/list': { projects: [] } })
    await screen.findAllByText(labels.projects.none)
    expect(screen.queryByText(labels.steps.title)).toBeNull()
  })

  it('are only those that a member may take, and end when all are done', async () => {
    await show({ '/v1/whoami': { role: 'member' } })
    await screen.findByText(labels.steps.progress(2, 3))
    expect(screen.getByRole('button', { name: 'Install the CLI and log in, to do' })).not.toBeNull()
    expect(screen.queryByText(labels.steps.invite.title)).toBeNull()
    expect(screen.queryByText(labels.steps.project.title)).toBeNull()
  })

  const withOthers = (live: ReturnType<typeof stage> & { readonly isProtected?: boolean }): Promise<void> => {
    const member = { id: 'm', userId: 'grace', role: 'member', user: { name: 'Grace Hopper', email: '' } }
    return show({
      '/v1/projects/list': { projects: [{ projectSlug: 'shop', name: 'Web shop', createdAtMs: 0, stages: [live] }] },
      '/v1/history/recent': { revisions: [] },
      '/identity/organization/list-members': { members: [member, { ...member, id: 'a', userId: 'ada' }] },
    })
  }

  it('lead to the protection of production once there are others', async () => {
    await withOthers(stage('prod', 'Live', 2, true))
    await screen.findByText(labels.steps.progress(3, 6))
    await userEvent.click(screen.getByRole('button', { name: `${labels.steps.protect.title}, ${labels.steps.open}` }))
    const link = await screen.findByRole('link', { name: 'Protect Live of Web shop' })
    expect(link.getAttribute('href')).toBe('/o/acme/p/shop')
  })

  it('count the protection of production', async () => {
    await withOthers({ ...stage('prod', 'Live', 2, true), isProtected: true })
    await screen.findByText(labels.steps.progress(4, 6))
    expect(screen.queryByText(labels.steps.protect.title)).toBeNull()
  })

  it('do not lead a person who is alone to the protection of production', async () => {
    await show()
    await screen.findByRole('button', { name: /^Install the CLI/ })
    expect(screen.queryByText(labels.steps.protect.title)).toBeNull()
  })

  it('are over when all are done', async () => {
    await show({ '/v1/whoami': { role: 'member' }, '/v1/sessions/list': { sessions: [{ id: 's' }] } })
    await screen.findByRole('list', { name: labels.changes.title })
    expect(screen.queryByText(labels.steps.title)).toBeNull()
  })
})
