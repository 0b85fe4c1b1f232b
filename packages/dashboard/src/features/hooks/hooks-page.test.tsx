import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer, type Requested } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { labels as credentialLabels } from '../../parts/credentials/labels.ts'
import { ToastRegion } from '../../ui/toast.tsx'
import { HooksPage } from './hooks-page.tsx'
import { labels } from './labels.ts'

const hourMs = 3_600_000
const deploys = {
  id: 'hok_1',
  name: 'Deploys',
  format: 'standard',
  target: 'https://ci.example.com',
  events: ['change.applied'],
  within: { projectSlug: 'shop', stageSlug: 'prod' },
  createdBy: 'ada',
  createdAtMs: 0,
  waiting: 3,
}
const delivery = {
  eventId: 'evt_org_7',
  type: 'change.applied',
  atMs: Date.now() - hourMs,
  attempts: 2,
  durationMs: 35,
}
const refused = { ...delivery, status: 503, failure: 'the receiver answered 503' }

/** Shows the page with webhooks, and returns the requests. */
async function show(hooks: readonly object[], answers: Readonly<Record<string, unknown>> = {}) {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/projects/list': { projects: [] },
    '/v1/hooks/list': { hooks },
    '/v1/hooks/create': { ...deploys, secret: 'whsec_new' },
    '/v1/hooks/update': deploys,
    '/v1/hooks/rotate': { secret: 'whsec_next' },
    '/v1/hooks/deliveries': { deliveries: [refused, { ...delivery, eventId: 'evt_test_1', type: 'hook.tested' }] },
    ...answers,
  })
  await render(
    <>
      <HooksPage />
      <ToastRegion />
    </>,
  )
  return requests
}

function bodyOf(requests: readonly Requested[], path: string): unknown {
  return requests.find((each) => each.path === path)?.body
}

/** Opens the only webhook of the list. */
async function open(hook: object, answers?: Readonly<Record<string, unknown>>) {
  const requests = await show([hook], answers)
  await userEvent.click(await screen.findByRole('button', { name: /^Deploys/ }))
  await screen.findByRole('dialog', { name: 'Deploys' })
  return requests
}

function click(name: string | RegExp): Promise<void> {
  return userEvent.click(screen.getByRole('button', { name }))
}

test('a webhook is created for groups of events and single ones, and shows its secret once', async () => {
  const requests = await show([])
  await screen.findByText(labels.none)
  await click(labels.create.button)
  await userEvent.type(await screen.findByLabelText(/^Name/), 'Deploys')
  await userEvent.type(screen.getByLabelText(/^URL/), 'https://ci.example.com/x')
  await userEvent.selectOptions(screen.getByLabelText(labels.create.events), labels.chosen)
  await click(labels.create.submit)
  screen.getByText(labels.create.eventsMissing)
  for (const name of ['Applied', labels.groups['change.*'] ?? '', labels.events['ramp.paused']])
    await userEvent.click(screen.getByRole('checkbox', { name: new RegExp(`^${name}`) }))
  // The group has it.
  const applied = screen.getByRole<HTMLInputElement>('checkbox', { name: /^Applied/ })
  expect([applied.checked, applied.disabled]).toEqual([true, true])
  await click(labels.create.submit)
  const dialog = await screen.findByRole('dialog', { name: labels.secret.created('Deploys') })
  within(dialog).getByDisplayValue('whsec_new')
  expect(bodyOf(requests, '/v1/hooks/create')).toEqual({
    orgSlug: 'acme',
    name: 'Deploys',
    url: 'https://ci.example.com/x',
    format: 'standard',
    events: ['change.*', 'ramp.paused'],
  })
  await click(credentialLabels.saved)
  await waitFor(() => expect(screen.queryByDisplayValue('whsec_new')).toBeNull())
})

test('what the service refuses about the URL is said at its field', async () => {
  const error = { code: 'INVALID_REQUEST', message: 'url must begin with https://', requestId: 'request-1' }
  await show([], { '/v1/hooks/create': () => Response.json({ error }, { status: 400 }) })
  await screen.findByText(labels.none)
  await click(labels.create.button)
  await userEvent.type(await screen.findByLabelText(/^Name/), 'Deploys')
  const url = screen.getByLabelText(/^URL/)
  await userEvent.type(url, 'http://localhost/x')
  await click(labels.create.submit)
  await screen.findByText('The URL must begin with https://.')
  expect(document.activeElement).toBe(url)
  expect(url.getAttribute('aria-invalid')).toBe('true')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('the list says what a webhook receives and whether it arrives', async () => {
  const off = { ...deploys, id: 'hok_2', name: 'Chat', format: 'slack', events: [], failure: 'no answer' }
  await show([deploys, { ...off, within: undefined, offSinceMs: 1 }])
  const cells = (await screen.findAllByRole('row')).slice(1).map((row) =>
    within(row)
      .getAllByRole('cell')
      .slice(0, -1)
      .map(({ textContent }) => textContent),
  )
  expect(cells).toEqual([
    ['Signed JSON', 'change.applied', 'shop/prod', 'On3 waiting'],
    ['Slack', 'All events', 'the whole organization', 'Off'],
  ])
})

test('a webhook that was switched off says why, and is switched on', async () => {
  const requests = await open({ ...deploys, failure: 'no answer', offSinceMs: Date.now() - hourMs })
  screen.getByText(labels.wasSwitchedOff('1 hour ago', 'no answer'))
  await userEvent.click(screen.getByRole('switch'))
  await waitFor(() => expect(bodyOf(requests, '/v1/hooks/update')).toMatchObject({ id: 'hok_1', isOn: true }))
})

test('a test shows what was answered, and a message is sent again', async () => {
  const requests = await open(deploys, {
    '/v1/hooks/test': { ...delivery, status: 204 },
    '/v1/hooks/redeliver': refused,
  })
  await click(labels.test.button)
  await screen.findByText(labels.test.accepted(204, 35))
  const messages = within(await screen.findByRole('list', { name: labels.deliveries.title }))
  messages.getByText('the receiver answered 503, after 35 ms, sent 2 times')
  // A test cannot be sent again.
  const [again, ...others] = messages.getAllByRole('button')
  expect(others).toEqual([])
  if (again) await userEvent.click(again)
  await screen.findByText(labels.deliveries.refused('the receiver answered 503'))
  expect(bodyOf(requests, '/v1/hooks/redeliver')).toMatchObject({ id: 'hok_1', eventId: 'evt_org_7' })
})

test('an edit keeps the URL that is not entered, and a new secret is shown once', async () => {
  const requests = await open(deploys)
  await click(labels.rotate.button)
  await userEvent.click(
    within(await screen.findByRole('dialog', { name: labels.rotate.title('Deploys') })).getByRole('button', {
      name: labels.rotate.confirm,
    }),
  )
  within(await screen.findByRole('dialog', { name: labels.secret.replaced('Deploys') })).getByDisplayValue('whsec_next')
  await click(credentialLabels.saved)
  await click(labels.edit.button)
  await userEvent.selectOptions(await screen.findByLabelText(labels.create.events), labels.all)
  await click(labels.edit.submit)
  await waitFor(() =>
    expect(bodyOf(requests, '/v1/hooks/update')).toEqual({ orgSlug: 'acme', id: 'hok_1', name: 'Deploys', events: [] }),
  )
})
