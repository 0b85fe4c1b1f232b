import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer, type Requested } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { formCommands } from '../../ui/form-commands.ts'
import { absoluteTime } from '../../lib/time.ts'
import { useCommandKeys, useCommands } from '../../ui/commands.ts'
import { ToastRegion } from '../../ui/toast.tsx'
import { labels } from './labels.ts'
import { TokensPage } from './tokens-page.tsx'

const hourMs = 3_600_000
const untilMs = Date.now() + 5 * hourMs
const ci = {
  id: 'tok_1',
  name: 'ci',
  role: 'reader',
  readOnly: true,
  history: false,
  createdBy: 'ada',
  createdAtMs: 0,
  expiresAtMs: Date.now() + 2000 * hourMs,
  creator: 'member',
}

function Page() {
  useCommandKeys()
  useCommands(formCommands, { isGlobal: true })
  return (
    <>
      <TokensPage />
      <ToastRegion />
    </>
  )
}

/** Shows the page with tokens, and returns the requests. */
async function open(tokens: readonly object[] = [ci]): Promise<readonly Requested[]> {
  const isRevoked = (): boolean => requests.some(({ path }) => path === '/v1/tokens/revoke')
  const requests = answer({
    '/v1/whoami': {},
    '/v1/tokens/list': () => ({ tokens: isRevoked() ? [] : tokens }),
    '/v1/tokens/rotate': { ...ci, token: 'svc_st_new', formerExpiresAtMs: untilMs },
    '/v1/tokens/revoke': { ok: true },
    '/v1/web/settings': { publicUrl: 'https://rollkey.example.com' },
  })
  await render(<Page />)
  await screen.findByRole('button', { name: 'Revoke token ci' })
  return requests
}

async function rotate(overlap: string): Promise<HTMLElement> {
  await userEvent.click(screen.getByRole('button', { name: 'Rotate ci' }))
  await userEvent.selectOptions(await screen.findByLabelText(labels.rotate.overlap), overlap)
  await userEvent.click(screen.getByRole('button', { name: labels.rotate.submit }))
  return screen.findByRole('dialog', { name: labels.replaced.title('ci') })
}

test('the list says until when a former secret works', async () => {
  const other = { ...ci, id: 'tok_2', name: 'web' }
  await open([{ ...ci, formerExpiresAtMs: untilMs }, other, { ...other, id: 'tok_3', formerExpiresAtMs: 1 }])
  expect(screen.getAllByText(/Former secret works/).map(({ textContent }) => textContent)).toEqual([
    `Former secret works until ${absoluteTime(untilMs)}`,
  ])
})

test('the list is filtered by a project, in which those of the organization are valid too', async () => {
  const names = () => screen.getAllByRole('button', { name: /^Rotate/ }).map((each) => each.getAttribute('aria-label'))
  await open([
    ci,
    { ...ci, id: 'tok_2', name: 'web', projectSlug: 'shop' },
    { ...ci, id: 'tok_3', name: 'app', projectSlug: 'mobile' },
  ])
  expect(names()).toHaveLength(3)
  await userEvent.click(screen.getByRole('button', { name: 'Project' }))
  await userEvent.click(await screen.findByRole('menuitemradio', { name: 'shop' }))
  await waitFor(() => expect(names()).toEqual(['Rotate ci', 'Rotate web']))
})

test('a rotation shows the new secret, and until when the former one works', async () => {
  const requests = await open()
  const dialog = await rotate('24 hours')
  within(dialog).getByDisplayValue('svc_st_new')
  within(dialog).getByText(labels.replaced.text)
  within(dialog).getByText(`The former secret works until ${absoluteTime(untilMs)}.`)
  expect(requests.find(({ path }) => path === '/v1/tokens/rotate')?.body).toMatchObject({
    id: 'tok_1',
    overlapHours: 24,
  })
})

test('a rotation without an overlap says that the former secret has ended', async () => {
  await open()
  const dialog = await rotate('No overlap')
  expect(dialog.textContent).toContain(labels.replaced.formerEnded)
  expect(dialog.textContent).not.toContain('works until')
})

test.each(['a click', 'Ctrl+Enter'])('the question that revokes a token confirms it after %s', async (way) => {
  const requests = await open()
  await userEvent.click(screen.getByRole('button', { name: 'Revoke token ci' }))
  const dialog = await screen.findByRole('dialog', { name: 'Revoke token ci?' })
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true))
  if (way === 'a click') await userEvent.click(within(dialog).getByRole('button', { name: 'Revoke token ci' }))
  else await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await screen.findByText('Revoked token ci')
  screen.getByText(labels.none)
  expect(requests.filter(({ path }) => path === '/v1/tokens/revoke')).toHaveLength(1)
})
