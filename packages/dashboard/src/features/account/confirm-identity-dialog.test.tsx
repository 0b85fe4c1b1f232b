import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { ViewerContext } from '../../session/viewer.ts'
import { ConfirmIdentityDialog } from './confirm-identity-dialog.tsx'
import { labels } from './labels.ts'

it('asks an external provider for a recent sign-in', async () => {
  const requests = answer({})
  const viewer = { provider: 'outside', userId: 'ada', name: 'Ada', organization: { slug: 'acme' } } as const
  await render(
    <ViewerContext value={viewer}>
      <ConfirmIdentityDialog />
    </ViewerContext>,
  )
  await userEvent.click(await screen.findByRole('button', { name: labels.confirm.externalSubmit }))
  await vi.waitFor(() =>
    expect(requests.filter(({ path }) => path === '/v1/web/sign-in')).toMatchObject([{ body: { confirm: true } }]),
  )
})
