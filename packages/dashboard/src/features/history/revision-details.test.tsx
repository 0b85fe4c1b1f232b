import type { Stage } from '@rollkey/sdk/core'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { RevisionDetails } from './revision-details.tsx'
import { revisionsOf } from './revisions.ts'

const place = { projectSlug: 'shop', stageSlug: 'prod' }
const written = { revision: 2, name: 'A', change: 'updated', writtenAtMs: 1, writtenBy: 'grace', kind: 'secret' }

test('a revision leads to the change that made it, and says who approved it', async () => {
  answer({
    '/v1/whoami': {},
    '/v1/env/digests': { variables: [] },
    '/v1/env/plain-history': { changes: [] },
    '/v1/changes/show': {
      ...place,
      id: 'chg_1',
      approvals: { approvers: ['bob', 'eve'] },
    },
  })
  const origin = { changeId: 'chg_1', proposedBy: 'ada', reason: 'Larger pages' }
  const [revision] = revisionsOf([{ ...written, digests: { value: 'd' }, ...origin } as never])
  const stage = { ...place, name: 'Live', stageSlug: 'prod' } as unknown as Stage
  const nothing = (): void => {}
  await render(
    <RevisionDetails
      place={place}
      stage={stage}
      name={undefined}
      revision={revision as NonNullable<typeof revision>}
      later={[]}
      isReadOnly={false}
      onRestore={nothing}
      onUndo={undefined}
      onClose={nothing}
    />,
  )
  const link = await screen.findByRole('link', { name: 'Larger pages' })
  expect(link.getAttribute('href')).toBe('/o/acme/changes/chg_1?project=shop&stage=prod')
  await screen.findByText(/approved by/)
  expect(link.parentElement?.textContent).toBe('By the change Larger pages, proposed by ada, approved by bob and eve')
})
