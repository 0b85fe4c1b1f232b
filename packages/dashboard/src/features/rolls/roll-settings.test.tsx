import type { Stage } from '@rollkey/sdk/core'
import type { Digested } from '@rollkey/contract'
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { Toasts } from '../../ui/toasts.tsx'
import { DecisionPanel } from './decision-panel.tsx'
import { noTryInput } from './preview.ts'
import { TrySection } from './try-section.tsx'

const place = { projectSlug: 'shop', stageSlug: 'prod' }
const stage = { ...place, name: 'prod', isProduction: true } as unknown as Stage
const body = { orgSlug: 'acme', ...place, name: 'CHECKOUT' }

/** Returns the request that changes the roll as it is at revision 7. */
function updating(changes: object) {
  return { orgSlug: 'acme', ...place, updates: [{ name: 'CHECKOUT', ...changes }], ifRevision: 7 }
}

function rollWith(settings: Partial<Digested> = {}) {
  const variable: Digested = { name: 'CHECKOUT', kind: 'ab_roll', chance: 0.25, digests: {}, ...settings }
  return { place, stage, variable, chance: 0.25, sides: settings.labels && { labels: settings.labels } }
}

const pro = { when: { plan: { in: ['pro', 'team'] } }, then: 'a' as const }

async function showPanel(settings: Partial<Digested> = {}, isReadOnly = false): Promise<void> {
  await render(
    <>
      <DecisionPanel roll={rollWith(settings)} revision={7} isReadOnly={isReadOnly} />
      <Toasts />
    </>,
  )
}

test('the steps of the decision are in their order, by the names of the sides', async () => {
  answer({ '/v1/whoami': {} })
  const rules = [pro, { when: { age: { lessThan: 18 } }, then: 0.5 }]
  await showPanel({ rules, pinned: { a: 2, b: 1 }, labels: { a: 'on', b: 'off' } })
  const steps = within(screen.getByRole('list', { name: 'Steps of the decision' })).getAllByRole('listitem')
  expect(
    steps.map(({ children }) => [...children].map(({ textContent }) => textContent.replaceAll('\u00a0', ' '))),
  ).toEqual([
    ['Pins', '2 seeds → on, 1 seed → off'],
    ['Rule 1', 'plan in pro, team → on'],
    ['Rule 2', 'age less than 18 → on for 50%'],
    ['All others', 'on for 25%'],
  ])
  await screen.findByText(/^Of 1,000 sample users and 3 pinned seeds, \d+ get on\.$/)
})

test('rules are added, ordered by keyboard, previewed and saved as a whole, and the save is undone', async () => {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/env/update': { revision: 8 },
    '/v1/env/restore': { revision: 9, created: [], updated: ['CHECKOUT'], deleted: [] },
  })
  await showPanel({ rules: [pro] })
  await userEvent.click(await screen.findByRole('button', { name: 'Edit rules' }))
  const drawer = within(await screen.findByRole('dialog', { name: 'Rules of CHECKOUT' }))
  await userEvent.click(drawer.getByRole('button', { name: 'Add rule' }))
  expect(document.activeElement).toBe(drawer.getByRole('textbox', { name: 'Attribute, rule 2' }))
  await drawer.findByText('Complete the form to see who gets what.')
  await userEvent.click(drawer.getByRole('button', { name: 'Save to prod' }))
  await drawer.findByText('Name an attribute, such as plan.')
  expect(requests.map(({ path }) => path)).not.toContain('/v1/env/update')
  await userEvent.type(drawer.getByRole('textbox', { name: 'Attribute, rule 2' }), 'age')
  await userEvent.selectOptions(drawer.getByRole('combobox', { name: 'Operator, rule 2' }), 'less than')
  await userEvent.type(drawer.getByRole('textbox', { name: 'Values, rule 2' }), '18')
  await userEvent.click(within(drawer.getByRole('radiogroup', { name: 'Then, rule 2' })).getByText('B'))
  drawer.getByRole('button', { name: 'Move rule 2 up' }).focus()
  await userEvent.keyboard('{Enter}')
  expect(document.activeElement).toBe(drawer.getByRole('button', { name: 'Move rule 1 down' }))
  await userEvent.click(drawer.getByLabelText('Sample contexts'))
  await userEvent.paste('{"age": 17}\n{"plan": "pro"}')
  await drawer.findByText('Of 1,000 sample users, 500 get A.')
  await userEvent.click(drawer.getByRole('button', { name: 'Save to prod' }))
  await screen.findByText('Saved the rules of CHECKOUT in prod')
  const rules = [{ when: { age: { lessThan: 18 } }, then: 'b' }, pro]
  expect(requests).toContainEqual({ path: '/v1/env/update', body: updating({ rules }) })
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  await screen.findByText('CHECKOUT is as before in prod')
})

test('pins are read when a person opens them, and duplicates are refused in place', async () => {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/env/pins': { a: ['user-1'], b: ['user-2'], revision: 7 },
    '/v1/env/update': { revision: 8 },
  })
  await showPanel({ pinned: { a: 1, b: 1 } })
  expect(requests.map(({ path }) => path)).not.toContain('/v1/env/pins')
  await userEvent.click(await screen.findByRole('button', { name: 'Edit pins' }))
  const drawer = within(await screen.findByRole('dialog', { name: 'Pins of CHECKOUT' }))
  const a = await drawer.findByRole('textbox', { name: 'Seeds that get A' })
  await userEvent.click(a)
  await userEvent.paste('\nuser-3\nuser-2')
  await drawer.findByText('Line 1 is among the seeds that get A, too. Remove one of them.')
  await userEvent.click(drawer.getByRole('button', { name: 'Save to prod' }))
  const b = drawer.getByRole('textbox', { name: 'Seeds that get B' })
  expect(document.activeElement).toBe(b)
  expect(requests.map(({ path }) => path)).not.toContain('/v1/env/update')
  await userEvent.clear(b)
  drawer.getByText('One per line. 3 of 1,000.')
  await drawer.findByText(/^Of 1,000 sample users and 3 pinned seeds, \d+ get A\.$/)
  await userEvent.click(drawer.getByRole('button', { name: 'Save to prod' }))
  await screen.findByText('Saved the pins of CHECKOUT in prod')
  const pins = { a: ['user-1', 'user-3', 'user-2'], b: [] }
  expect(requests).toContainEqual({ path: '/v1/env/update', body: updating({ pins }) })
})

test('those who may not read see no seeds, and those who may not write change nothing', async () => {
  answer({ '/v1/whoami': { verbs: [{ verbs: ['list'] }] } })
  await showPanel({ pinned: { a: 1, b: 0 } }, true)
  await screen.findByText('1 seed → A')
  expect(screen.queryAllByRole('button', { name: /pins|rules|Rename/ })).toEqual([])
})

test('both sides get a name, or none', async () => {
  const requests = answer({ '/v1/whoami': {}, '/v1/env/update': { revision: 8 } })
  await showPanel()
  await userEvent.click(await screen.findByRole('button', { name: 'Rename A and B' }))
  const drawer = within(await screen.findByRole('dialog', { name: 'Names of the sides of CHECKOUT' }))
  await userEvent.type(drawer.getByRole('textbox', { name: 'Name of A' }), 'on')
  await userEvent.click(drawer.getByRole('button', { name: 'Save to prod' }))
  await drawer.findByText('Name both sides, or none.')
  await userEvent.type(drawer.getByRole('textbox', { name: 'Name of B' }), 'off')
  await userEvent.click(drawer.getByRole('button', { name: 'Save to prod' }))
  await screen.findByText('Saved the names of the sides of CHECKOUT in prod')
  expect(requests).toContainEqual({
    path: '/v1/env/update',
    body: updating({ labels: { a: 'on', b: 'off' } }),
  })
})

function Trying() {
  const [input, setInput] = useState(noTryInput)
  return <TrySection roll={rollWith({ rules: [pro] })} input={input} onInput={setInput} />
}

test('a user is tried with a context, whose errors are shown in place', async () => {
  const requests = answer({
    '/v1/env/explain': { name: 'CHECKOUT', decision: 'a', step: 'rule', rule: 1, text: 'rule 1', revision: 7 },
  })
  await render(<Trying />)
  await userEvent.type(screen.getByLabelText('Seed'), 'user-1')
  await userEvent.click(screen.getByLabelText('Context'))
  await userEvent.paste('{plan: "pro"}')
  await userEvent.click(screen.getByRole('button', { name: 'Explain' }))
  await screen.findByText(/^This is not a JSON object/)
  expect(requests.map(({ path }) => path)).not.toContain('/v1/env/explain')
  await userEvent.clear(screen.getByLabelText('Context'))
  await userEvent.paste('{"plan": "pro"}')
  await userEvent.click(screen.getByRole('button', { name: 'Explain' }))
  await screen.findByText('user-1 gets A.')
  screen.getByText('Decided by rule 1: plan in pro, team → A.')
  expect(requests).toContainEqual({
    path: '/v1/env/explain',
    body: { ...body, seed: 'user-1', context: { plan: 'pro' } },
  })
})
