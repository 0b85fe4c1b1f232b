import type { Change } from '@rollkey/sdk/core'
import { cleanup, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { Items } from './proposal-items.tsx'

const place = { projectSlug: 'shop', stageSlug: 'prod' }
const path = '/v1/changes/reveal'

function state(digest: string, exposure?: 'plain') {
  return { kind: 'secret', digests: { value: digest }, ...(exposure && { exposure }) }
}

const size = {
  name: 'SIZE',
  action: 'update',
  before: state('1', 'plain'),
  after: state('2', 'plain'),
  plain: { value: '40' },
}
const created = { name: 'NEW', action: 'create', after: state('3', 'plain'), plain: { value: '' } }
const key = { name: 'KEY', action: 'update', before: state('4'), after: state('5') }
const stored = [{ kind: 'secret', name: 'SIZE', value: '20', exposure: 'plain' }]

async function show(items: readonly object[], more: object = {}, answers: object = {}) {
  const requests = answer({ '/v1/whoami': {}, '/v1/env/plain': { variables: stored }, ...answers })
  const change = { ...place, id: 'chg_1', state: 'open', approvals: { rejectors: [] }, items, ...more }
  await render(<Items proposal={change as unknown as Change} />)
  return requests
}

const revealButton = () => screen.queryByRole('button', { name: 'Reveal values' })

test('plain values stand before and after, and nothing is left to reveal', async () => {
  await show([created, size])
  await screen.findByText('Value 20 → 40')
  screen.getByText('Value empty · plain value')
  expect(screen.queryByText('Value changed')).toBeNull()
  expect(revealButton()).toBeNull()
})

test('only what is masked is revealed', async () => {
  const entry = (value: string) => ({ variables: [{ kind: 'secret', name: 'KEY', value }] })
  const requests = await show([key, size], {}, { '/v1/env/reveal': entry('old'), [path]: entry('new') })
  await screen.findByText('Value 20 → 40')
  screen.getByText('Value changed')
  await userEvent.click(await screen.findByRole('button', { name: 'Reveal values' }))
  await screen.findByText('new')
  screen.getByText('old')
  expect(requests).toContainEqual({ path, body: { orgSlug: 'acme', ...place, id: 'chg_1', names: ['KEY'] } })
})

test('a reviewer reads which values they have not looked at, until they have', async () => {
  const entry = { variables: [{ kind: 'secret', name: 'KEY', value: 'it' }] }
  const notLooked = () => screen.queryByText('You have not looked at the value of KEY.')
  const reviewing = { needsYou: true, digest: 'of-it' }
  await show([key, size], reviewing, { '/v1/env/reveal': entry, [path]: entry })
  await screen.findByText('Value 20 → 40')
  expect(notLooked()).not.toBeNull()
  await userEvent.click(await screen.findByRole('button', { name: 'Reveal values' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Hide values' }))
  expect(notLooked()).toBeNull()
  cleanup()
  await show([key], { digest: 'of-it' })
  await screen.findByRole('button', { name: 'Reveal values' })
  expect(notLooked()).toBeNull()
})

test('a long value stands below, whole', async () => {
  const long = 'x'.repeat(100)
  await show([{ ...size, plain: { value: long } }])
  await screen.findByText(long)
  screen.getByText('20')
  screen.getByText('Value changed')
  expect(revealButton()).toBeNull()
})

test('a value that people do not see without a reveal is masked, and no plain value is read', async () => {
  const requests = await show([{ ...size, plain: undefined }])
  await screen.findByRole('button', { name: 'Reveal values' })
  screen.getByText('Value changed')
  expect(requests.map((each) => each.path)).not.toContain('/v1/env/plain')
})

test('a former value that does not open leaves the value to be revealed', async () => {
  await show([size], {}, { '/v1/env/plain': { variables: [] } })
  await screen.findByRole('button', { name: 'Reveal values' })
  screen.getByText('Value changed')
  expect(screen.queryByText('Value 20 → 40')).toBeNull()
})

test('both sides of a roll stand by their names', async () => {
  const digests = { a: '1', b: '2' }
  const after = { kind: 'ab_roll', chance: 0.5, exposure: 'plain', digests }
  await show([{ name: 'FLAG', action: 'create', after, plain: { valueA: 'on', valueB: 'off' } }])
  await screen.findByText(/^Value A on · value B off · /)
  expect(revealButton()).toBeNull()
})

test('values of a new roll stand below by their names, without an empty side before', async () => {
  const long = 'x'.repeat(100)
  const after = { kind: 'ab_roll', chance: 0.5, exposure: 'plain', digests: { a: '1', b: '2' } }
  await show([{ name: 'FLAG', action: 'create', after, plain: { valueA: long, valueB: 'off' } }])
  const side = (await screen.findByText(long)).closest('[data-when]')
  expect(side?.textContent).toBe(`AfterValue A${long}Value Boff`)
  expect(screen.queryByText('Before')).toBeNull()
})

const flag = { kind: 'ab_roll', chance: 0.5, digests: { a: '1', b: '2' } }

test.each([
  [
    'plain',
    'Afterwards: Everyone gets A (green). Pins and rules come first: this is for all others.',
    { exposure: 'plain', pinned: { a: 1, b: 0 } },
    { a: 'A (green)', b: 'B (blue)' },
  ],
  ['secret', 'Afterwards: Everyone gets A (secret).', {}, { a: 'A (secret)', b: 'B (secret)' }],
])('a change of a %s chance says whom it moves, and what the sides are', async (_exposure, then, more, { a, b }) => {
  const item = { name: 'FLAG', action: 'chance', chance: 1, before: { ...flag, ...more } }
  const values = [{ kind: 'ab_roll', name: 'FLAG', valueA: 'green', valueB: 'blue', exposure: 'plain' }]
  await show([item], {}, { '/v1/env/plain': { variables: values } })
  expect(await screen.findByText(`50% of users move from ${b} to ${a}. ${then}`)).toBeDefined()
})

test('an applied change shows the plain values that it replaced and wrote', async () => {
  const written = {
    revision: 7,
    name: 'SIZE',
    kind: 'secret',
    exposure: 'plain',
    digests: { value: '2' },
    writtenAtMs: 0,
  }
  await show(
    [{ name: 'SIZE', action: 'update', after: size.after }],
    { state: 'applied', appliedRevision: 7 },
    {
      '/v1/env/history': { changes: [{ ...written, change: 'updated', writtenBy: 'ada', before: size.before }] },
      '/v1/env/plain-history': {
        changes: [{ revision: 7, name: 'SIZE', before: { value: '20' }, after: { value: '40' } }],
      },
    },
  )
  await screen.findByText('40')
  expect(screen.queryByText('20')).not.toBeNull()
})

test('an applied change keeps what was there before it', async () => {
  const written = { revision: 7, change: 'updated', writtenAtMs: 0, writtenBy: 'ada' }
  const rollState = (chance: number) => ({ kind: 'ab_roll', chance, digests: { a: '1', b: '2' } })
  await show(
    [
      { name: 'FLAG', action: 'chance', chance: 1 },
      { name: 'KEY', action: 'update', after: key.after },
      { name: 'OLD', action: 'delete' },
    ],
    { state: 'applied', appliedRevision: 7 },
    {
      '/v1/env/history': {
        changes: [
          { ...written, name: 'FLAG', ...rollState(1), before: rollState(0.5) },
          { ...written, name: 'KEY', ...key.after, before: { ...key.before, description: 'Of the shop' } },
          { ...written, name: 'OLD', change: 'deleted', before: key.before },
        ],
      },
    },
  )
  await screen.findByText(/50%.→.100%/)
  expect(screen.getByText(/^Value changed/)).not.toBeNull()
})
