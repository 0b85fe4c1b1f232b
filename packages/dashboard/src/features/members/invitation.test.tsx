import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { ProtectedStageLinks } from './invitation.tsx'
import { labels } from './labels.ts'

test('an invitation leads to the access of each project with a protected stage', async () => {
  const project = (projectSlug: string, isProtected: boolean) => ({
    projectSlug,
    name: projectSlug,
    stages: [{ stageSlug: 'prod', name: 'prod', isProtected }],
  })
  answer({ '/v1/projects/list': { projects: [project('shop', true), project('open', false)] } })
  await render(<ProtectedStageLinks />)
  const link = await screen.findByRole('link', { name: labels.invite.protectedStages('shop') })
  expect(link.getAttribute('href')).toMatch(/\/p\/shop\/access$/)
  expect(screen.getAllByRole('link')).toHaveLength(1)
})
