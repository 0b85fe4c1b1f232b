import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { MissingVerb, RequireVerb } from './require-verb.tsx'
import { labels } from './labels.ts'

const page = (
  <RequireVerb verb="manage" at={{ projectSlug: 'shop' }} what="see who has access">
    the content
  </RequireVerb>
)

it('shows the content to those who have the verb there', async () => {
  answer({ '/v1/whoami': { verbs: [{ verbs: ['list'] }, { projectSlug: 'shop', verbs: ['list', 'manage'] }] } })
  await render(page)
  expect(await screen.findByText('the content')).not.toBeNull()
})

it('says to others what they need and whom to ask', async () => {
  const user = { name: 'Grace', email: 'grace@example.com' }
  answer({
    '/v1/whoami': { role: 'member', verbs: [{ verbs: ['list'] }] },
    '/identity/organization/list-members': { members: [{ id: 'm', userId: 'grace', role: 'admin', user }] },
  })
  await render(page)
  await screen.findByText(labels.missing.title('see who has access'))
  await screen.findByText(/You need manage access to shop\. Ask Grace, who can grant it to you\./)
  expect(screen.queryByText('the content')).toBeNull()
})

it('offers a role to those who manage the place', async () => {
  answer({ '/v1/whoami': { verbs: [{ verbs: ['list', 'manage'] }] } })
  await render(<MissingVerb verb="write" at={{ projectSlug: 'shop', stageSlug: 'prod' }} />)
  await screen.findByText(/You need write access to shop\/prod\./)
  const link = await screen.findByRole('link', { name: labels.missing.grant })
  expect(link.getAttribute('href')).toMatch(/\/p\/shop\/access\?search=Ada/)
})
