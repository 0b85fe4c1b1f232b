import type { Stage } from '@rollkey/sdk/core'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { ProtectionDialog } from './protect-dialog.tsx'
import { labels } from './labels.ts'

it('lists who loses what before it protects', async () => {
  const requests = answer({ '/v1/stages/protect': { losing: [{ verbs: ['read', 'write'] }] } })
  const onClose = vi.fn<() => void>()
  const stage = { stageSlug: 'prod', name: 'prod', isProduction: true } as Stage
  await render(<ProtectionDialog projectSlug="shop" stage={stage} opened onClose={onClose} />)
  await screen.findByText(labels.protection.everyMember)
  await screen.findByText('loses read and write')
  const sent = () => requests.filter(({ path }) => path === '/v1/stages/protect').map(({ body }) => body)
  const place = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod', isProtected: true }
  expect(sent()).toEqual([{ ...place, dryRun: true }])
  await userEvent.click(screen.getByRole('button', { name: 'Protect prod' }))
  await expect.poll(() => onClose).toHaveBeenCalled()
  expect(sent()[1]).toEqual(place)
})
