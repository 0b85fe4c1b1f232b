import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { answer } from '../../../../testkit/answers.ts'
import { render } from '../../../../testkit/render.tsx'
import { type Changes, ChangesContext } from '../../../data/unsaved-changes/changes-context.ts'
import { StageTabs } from './stage-tabs.tsx'

const changes: Changes = { pending: [], add: () => {}, remove: () => {}, accept: () => {}, review: () => {} }
const stage = { createdAtMs: 0, revision: 1, updatedAtMs: 0 }
const dev = { ...stage, stageSlug: 'dev', name: 'dev', isProduction: false, variables: 31 }

it.each([
  [2, false],
  [30, true],
])('that production with %i of 31 variables lacks one is an alarm: %s', async (variables, isAlarm) => {
  answer({ '/v1/whoami': {}, '/v1/changes/list': { changes: [], more: false } })
  const prod = { ...stage, stageSlug: 'prod', name: 'prod', isProduction: true, variables }
  await render(
    <ChangesContext value={changes}>
      <StageTabs
        project={{ projectSlug: 'shop', name: 'Shop', createdAtMs: 0, variables: 31, stages: [dev, prod] }}
        name="A"
        stages={[
          { stage: dev, variable: { name: 'A', kind: 'secret', digests: { value: 'x' } }, revision: 1 },
          { stage: prod, variable: undefined, revision: 1 },
        ]}
        shown="dev"
        takesFocus={false}
        onShow={() => {}}
      />
    </ChangesContext>,
  )
  const sign = screen.getByText('Missing').closest('[data-status]')
  expect(sign?.getAttribute('data-status')).toBe(isAlarm ? 'missing-in-production' : 'missing')
})
