import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
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
  expect(link.getAttribute('href')).toMatch(/\/p\/shop\/access\?grant=write&person=ada&stage=prod$/)
})

it.each([
  [{ projectSlug: 'shop', stageSlug: 'prod' }, 'shop/prod', '/o/acme/p/shop/access?grant=read&person=ada&stage=prod'],
  [{}, 'the whole organization', '/o/acme/members/access?grant=read&person=ada'],
  ['anywhere', 'the organization, a project or a stage', '/o/acme/members/access?grant=read&person=ada'],
] as const)('copies a request for %j, whose link opens the form that grants it', async (at, place, path) => {
  vi.stubGlobal('isSecureContext', true)
  const user = userEvent.setup()
  answer({ '/v1/whoami': { role: 'member', verbs: [{ verbs: ['list'] }] } })
  await render(<MissingVerb verb="read" at={at} />)
  await user.click(screen.getByRole('button', { name: labels.copyRequest }))
  const link = `${location.origin}${path}`
  expect(await navigator.clipboard.readText()).toBe(labels.request('read values', place, link))
  await screen.findByRole('button', { name: labels.copied })
})
