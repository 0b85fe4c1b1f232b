import { useWindowEvent } from '@mantine/hooks'
import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { externalToken, forgetExternalToken, handOver } from '../../session/external-sign-in.ts'
import { ViewerContext } from '../../session/viewer.ts'
import { ConfirmIdentityDialog } from './confirm-identity-dialog.tsx'
import { labels } from './labels.ts'

const viewer = { provider: 'external', userId: 'ada', name: 'Ada', organization: { slug: 'acme' } } as const
const proof = { state: 'state-1', nonce: 'nonce-1', codeVerifier: 'verifier-1' }
const window = { location: { assign: vi.fn<(url: string) => void>() }, close: vi.fn<() => void>() }

beforeEach(() => {
  forgetExternalToken()
  window.location.assign.mockClear()
  vi.stubGlobal('open', () => window)
})

async function open(answers: Readonly<Record<string, unknown>>) {
  const requests = answer({ '/v1/web/sign-in': { url: 'https://idp.example.com/authorize', ...proof }, ...answers })
  await render(
    <ViewerContext value={viewer}>
      <ConfirmIdentityDialog />
    </ViewerContext>,
  )
  await userEvent.click(await screen.findByRole('button', { name: labels.confirm.externalSubmit }))
  return requests
}

it('asks an external provider for a recent sign-in in another window, and continues with its answer', async () => {
  const token = { token: 'token-2', expiresAtMs: Date.now() + 3_600_000, name: 'Ada' }
  const requests = await open({
    '/v1/web/token': token,
    '/v1/whoami': { idpUserId: 'ada', orgSlug: 'acme' },
  })
  await expect.poll(() => window.location.assign).toHaveBeenCalledWith('https://idp.example.com/authorize')
  expect(requests.filter(({ path }) => path === '/v1/web/sign-in')).toMatchObject([{ body: { confirm: true } }])
  await screen.findByText(labels.confirm.waiting)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const refused = handOver('code=c&state=another')
  expect(await handOver('code=c&state=state-1')).toBe(true)
  vi.advanceTimersByTime(1_000)
  expect(await refused).toBe(false)
  await expect.poll(() => externalToken()?.token).toBe('token-2')
  const [exchange] = requests.filter(({ path }) => path === '/v1/web/token')
  expect(exchange?.body).toEqual({ callback: 'code=c&state=state-1', ...proof })
})

it('takes no sign-in of someone else', async () => {
  await open({
    '/v1/web/token': { token: 'token-3', expiresAtMs: Date.now() + 3_600_000 },
    '/v1/whoami': { idpUserId: 'grace', orgSlug: 'acme' },
  })
  await expect.poll(() => window.location.assign).toHaveBeenCalled()
  expect(await handOver('code=c&state=state-1')).toBe(true)
  await screen.findByText(/You signed in as someone else/)
  expect(externalToken()).toBeUndefined()
})

it('offers a sign-in on the page where the browser opens no window, and says what has to be typed again', async () => {
  vi.stubGlobal('open', () => null)
  await open({})
  await screen.findByText(labels.confirm.hereText)
  expect(screen.queryByRole('button', { name: labels.confirm.here })).not.toBeNull()
})

it('gives the focus back to what asked for the confirmation', async () => {
  answer({})
  function Page() {
    const [isAsking, setAsking] = useState(false)
    useWindowEvent('online', () => setAsking(false))
    return (
      <ViewerContext value={viewer}>
        <button type="button" onClick={() => setAsking(true)}>
          Reveal
        </button>
        {isAsking && <ConfirmIdentityDialog />}
      </ViewerContext>
    )
  }
  await render(<Page />)
  const reveal = screen.getByRole('button', { name: 'Reveal' })
  await userEvent.click(reveal)
  await screen.findByRole('dialog')
  await expect.poll(() => document.activeElement).not.toBe(reveal)
  act(() => void globalThis.dispatchEvent(new Event('online')))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  await expect.poll(() => document.activeElement).toBe(reveal)
})
