import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { useLikelyProject } from './use-listed-project.ts'

function Likely() {
  return <main>{useLikelyProject()}</main>
}

const project = (projectSlug: string) => ({ projectSlug, name: projectSlug, createdAtMs: 0, stages: [] })

it.each([
  [[project('shop')], ['list', 'manage'], 'shop'],
  [[project('shop')], ['list'], ''],
  [[project('shop'), project('blog')], ['list', 'manage'], ''],
  [[], ['list', 'manage'], ''],
])('of %j, with the verbs %j, a new credential is for "%s"', async (projects, verbs, expected) => {
  const requests = answer({ '/v1/whoami': { verbs: [{ verbs }] }, '/v1/projects/list': { projects } })
  await render(<Likely />)
  await expect
    .poll(() => requests.map(({ path }) => path))
    .toEqual(expect.arrayContaining(['/v1/projects/list', '/v1/whoami']))
  await expect.poll(() => screen.getByRole('main').textContent).toBe(expected)
})
