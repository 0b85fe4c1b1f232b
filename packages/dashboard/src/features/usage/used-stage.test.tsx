import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { UsedStage } from './used-stage.tsx'

const stage = { stageSlug: 'prod', name: 'prod', revision: 1, createdAtMs: 0, updatedAtMs: 0, variables: 0 }
const project = { projectSlug: 'shop', name: 'The Shop', createdAtMs: 0, variables: 0, stages: [stage] }
const archived = { ...project, projectSlug: 'reports', name: 'Reports', archivedAtMs: 1 }

test('a stage that was used says that it was deleted or archived since', async () => {
  answer({ '/v1/projects/list': { projects: [project, archived] } })
  await render(
    <ul>
      {['shop/prod', 'shop/qa', 'reports/prod', 'old/prod'].map((text) => {
        const [projectSlug = '', stageSlug = ''] = text.split('/')
        return (
          <li key={text}>
            <UsedStage place={{ projectSlug, stageSlug }} />
          </li>
        )
      })}
    </ul>,
  )
  await screen.findByText('archived')
  expect(
    screen.getAllByRole('listitem').map(({ textContent }) => textContent.replace(/(?=deleted|archived)/, ': ')),
  ).toEqual(['The Shop / prod', 'The Shop / qa: deleted', 'Reports / prod: archived', 'old / prod: deleted'])
})
