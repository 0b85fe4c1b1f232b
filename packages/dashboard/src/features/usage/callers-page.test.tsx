import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { CallersPage } from './callers-page.tsx'

test('names client keys and trusts, and which kind of credential they are', async () => {
  const counted = { how: 'service', projectSlug: 'shop', stageSlug: 'prod', evaluations: 1 }
  answer({
    '/v1/whoami': {},
    '/v1/usage/callers': {
      callers: ['tok_1', 'key_1', 'tru_1', 'tru_2'].map((caller) => ({ ...counted, caller })),
      more: false,
    },
    '/v1/tokens/list': { tokens: [{ id: 'tok_1', name: 'web shop' }] },
    '/v1/keys/list': { keys: [{ id: 'key_1', name: 'Price page' }] },
    '/v1/trusts/list': { trusts: [{ id: 'tru_1', name: 'Deployment' }] },
    '/v1/projects/list': { projects: [] },
  })
  await render(<CallersPage />)
  const texts = () =>
    screen
      .queryAllByRole('row')
      .slice(1)
      .map((row) =>
        [...row.querySelectorAll('td')]
          .slice(0, 2)
          .map((cell) => cell.querySelector('bdi')?.textContent ?? cell.textContent),
      )
  await expect.poll(texts).toEqual([
    ['web shop', 'Service token'],
    ['Price page', 'Client key'],
    ['Deployment', 'Trust (OIDC)'],
    ['tru_2', 'Trust (OIDC)'],
  ])
})
