import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { type EmbeddedViewer, useViewer } from '../../session/viewer.ts'
import { labels } from './labels.ts'
import { SecondFactorRequired } from './second-factor-required.tsx'

const other = { id: 'org-2', name: 'Other', slug: 'other' }

function Refused({ others }: { readonly others: EmbeddedViewer['organizations'] }) {
  const viewer = useViewer() as EmbeddedViewer
  return (
    <SecondFactorRequired
      viewer={{ ...viewer, organizations: [...viewer.organizations, ...others] }}
      name="Acme Inc."
      onCodes={() => undefined}
    />
  )
}

test.each([
  ['offers', 1, [other]],
  ['does not offer', 0, []],
])('%s other organizations to a person who has %i', async (_, count, others) => {
  answer({ '/v1/web/settings': { provider: 'embedded', companies: [] } })
  await render(<Refused others={others} />)
  await screen.findByRole('button', { name: labels.factorRequired.signOut })
  expect(screen.queryAllByRole('link', { name: labels.factorRequired.others })).toHaveLength(count)
})
