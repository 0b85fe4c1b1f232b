import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { MissingStages } from './missing-stages.tsx'

const stages = ['dev', 'prod', 'eu', 'old'].map((stageSlug) => ({
  stageSlug,
  name: stageSlug.toUpperCase(),
  ...(stageSlug === 'old' && { archivedAtMs: 1 }),
}))
const dev = { projectSlug: 'shop', stageSlug: 'dev', verbs: ['list', 'write'] }
const user = { name: 'Grace', email: 'grace@example.com' }

it.each([
  [[{ verbs: ['list'] }, dev], /You need write access to PROD and EU\. Ask Grace, who can grant it to you\./],
  [[{ verbs: ['list', 'manage'] }, dev], /You need write access to PROD and EU\. You manage access there:/],
  [[{ verbs: ['list', 'write'] }], undefined],
])('with %j, a form says which stages it does not offer: %s', async (verbs, text) => {
  const requests = answer({
    '/v1/whoami': { role: 'member', verbs },
    '/v1/projects/list': { projects: [{ projectSlug: 'shop', name: 'Shop', createdAtMs: 0, stages }] },
    '/identity/organization/list-members': { members: [{ id: 'm', userId: 'grace', role: 'admin', user }] },
  })
  await render(
    <main>
      <MissingStages projectSlug="shop" />
    </main>,
  )
  if (text) await screen.findByText(text)
  await expect.poll(() => requests.map(({ path }) => path)).toContain('/v1/projects/list')
  await expect.poll(() => screen.getByRole('main').textContent === '').toBe(text === undefined)
})
