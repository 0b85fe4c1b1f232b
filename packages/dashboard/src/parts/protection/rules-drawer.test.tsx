import type { Stage } from '@rollkey/sdk/core'
import { fireEvent, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { RulesDrawer } from './rules-drawer.tsx'
import { labels } from './labels.ts'

const { rules: words } = labels
const protectPath = '/v1/stages/protect'
const freeze = { zone: 'UTC', from: 'fri 17:00', to: 'mon 08:00' }
const protection = { approvals: 1, selfApproval: true, bypassRole: null, stopVerb: 'write', freezes: [freeze] }

async function open(grants: readonly object[] = []) {
  const requests = answer({
    '/v1/access/list': { defaultRole: 'developer', grants, protectedStages: [] },
    '/v1/roles/list': {
      roles: [
        { name: 'releaser', verbs: ['approve'] },
        { name: 'lead', verbs: ['manage'] },
      ],
    },
    [protectPath]: { losing: [] },
  })
  const stage = { stageSlug: 'prod', name: 'Live', isProtected: true, protection } as unknown as Stage
  const onClose = vi.fn<() => void>()
  await render(<RulesDrawer projectSlug="shop" stage={stage} opened onClose={onClose} />)
  return { requests, drawer: within(await screen.findByRole('dialog', { name: words.title('Live') })) }
}

test('shows what the stage requires, and saves all of it', async () => {
  const { requests, drawer } = await open()
  expect(drawer.getByLabelText<HTMLInputElement>(words.self).checked).toBe(true)
  fireEvent.change(drawer.getByLabelText(words.approvals), { target: { value: '2' } })
  await drawer.findByRole('option', { name: 'lead' })
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
  await userEvent.click(drawer.getByRole('button', { name: words.save('Live') }))
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
  await userEvent.click(drawer.getByRole('button', { name: words.save('Live') }))
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
  const { drawer } = await open([grant('ada')])
  expect(drawer.queryByText(words.fewApprovers(1))).toBeNull()
  await userEvent.click(drawer.getByLabelText(words.self))
  await drawer.findByText(words.fewApprovers(1))
})

test('says what protection does where the stage is not protected, and offers it', async () => {
  const requests = answer({ [protectPath]: { losing: [{ verbs: ['read'] }] } })
  const stage = { stageSlug: 'prod', name: 'Live', isProtected: false } as unknown as Stage
  await render(<RulesDrawer projectSlug="shop" stage={stage} opened onClose={() => {}} />)
  const drawer = within(await screen.findByRole('dialog', { name: words.title('Live') }))
  drawer.getByText(words.unprotected('Live'))
  drawer.getByText(labels.protection.text)
  await drawer.findByText(labels.protection.everyMember)
  expect(drawer.queryByLabelText(words.approvals)).toBeNull()
  // Ctrl+Enter submits the form in which the focus is.
  const protect = drawer.getByRole<HTMLButtonElement>('button', { name: 'Protect Live' })
  await expect.poll(() => document.activeElement).toBe(protect)
  expect(protect.form).not.toBeNull()
  await userEvent.click(protect)
  const place = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod', isProtected: true }
  await expect.poll(() => requests).toContainEqual({ path: protectPath, body: place })
})

test('begins in the first field once the stage is protected', async () => {
  answer({
    '/v1/access/list': { defaultRole: 'developer', grants: [], protectedStages: [] },
    '/v1/roles/list': { roles: [] },
  })
  function Drawer() {
    const [isProtected, setProtected] = useState(false)
    const stage = { stageSlug: 'prod', name: 'Live', isProtected } as unknown as Stage
    return (
      <>
        <RulesDrawer projectSlug="shop" stage={stage} opened onClose={() => {}} />
        <button type="button" onClick={() => setProtected(true)}>
          Reads that it is protected
        </button>
      </>
    )
  }
  await render(<Drawer />)
  await screen.findByRole('dialog', { name: words.title('Live') })
  fireEvent.click(screen.getByText('Reads that it is protected'))
  const first = await screen.findByLabelText(words.approvals)
  await expect.poll(() => document.activeElement).toBe(first)
})
