import { useQuery } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { useScope } from '../../session/scope.ts'
import { Toasts } from '../../ui/toasts.tsx'
import { GroupDrawer } from './group-drawer.tsx'
import { labels } from './labels.ts'
import { groupsQuery } from '../../data/access/queries.ts'

function OpenGroup() {
  const { data } = useQuery(groupsQuery(useScope()))
  return (
    <>
      <GroupDrawer group={data?.[0]} onClose={() => {}} />
      <Toasts />
    </>
  )
}

test('people are added one after the other, and each addition can be taken back', async () => {
  const user = { name: 'Grace Hopper', email: 'grace@example.com' }
  let members: readonly object[] = []
  answer({
    '/v1/whoami': {},
    '/v1/web/settings': { provider: 'embedded', companies: [] },
    '/v1/access/list': { grants: [], defaultRole: 'developer' },
    '/v1/groups/list': () => ({ groups: [{ id: 'grp_1', name: 'On call', createdAtMs: 0, members }] }),
    '/v1/groups/members': ({ add = [] }: { readonly add?: readonly object[] }) => {
      members = add
      return {}
    },
    '/identity/organization/list-members': {
      members: [{ id: 'm', userId: 'u0', role: 'member', user, createdAt: new Date(0) }],
    },
  })
  await render(<OpenGroup />)
  await userEvent.click(await screen.findByRole('combobox', { name: labels.groups.addLabel }))
  await userEvent.click(await screen.findByRole('option', { name: /^Grace/ }))
  await userEvent.click(screen.getByRole('button', { name: labels.groups.add }))
  const removal = await screen.findByRole('button', { name: labels.groups.removeOf('Grace Hopper') })
  await expect.poll(() => document.activeElement).toBe(removal)
  await userEvent.click(screen.getByRole('button', { name: /^Undo/ }))
  await screen.findByText(labels.groups.noMembers)
  expect(screen.getByRole<HTMLInputElement>('combobox', { name: labels.groups.addLabel }).value).toBe('')
})
