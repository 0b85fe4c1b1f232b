import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { type EmbeddedViewer, useViewer } from '../../session/viewer.ts'
import { labels } from './labels.ts'
import { OtherWays } from './other-ways.tsx'

const other = { id: 'org-2', name: 'Other', slug: 'other' }

function Refused({ others }: { readonly others: EmbeddedViewer['organizations'] }) {
  const viewer = useViewer() as EmbeddedViewer
  return <OtherWays viewer={{ ...viewer, organizations: [...viewer.organizations, ...others] }} />
}

test.each([
  ['offers', 1, [other]],
  ['does not offer', 0, []],
])('%s other organizations to a person who has %i', async (_, count, others) => {
  answer({ '/v1/web/settings': { provider: 'embedded', companies: [] } })
  await render(<Refused others={others} />)
  await screen.findByRole('button', { name: labels.otherWays.signOut })
  expect(screen.queryAllByRole('link', { name: labels.otherWays.organizations })).toHaveLength(count)
})
