import type { ListedChange, Stage } from '@rollkey/sdk/core'
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { place, plan } from '../../../testkit/plan.ts'
import { render } from '../../../testkit/render.tsx'
import { Toasts } from '../../ui/toasts.tsx'
import { RotationNotice } from './rotation.tsx'

const rotation = {
  ...plan,
  state: 'running',
  steps: [0.01, 0.1, 1].map((chance) => ({ atMs: 0, chance })),
  stepsDone: 1,
}

async function show(change: object | undefined) {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/changes/abort': { revision: 3 },
    '/v1/env/reveal': {
      variables: [{ name: 'KEY', kind: 'ab_roll', chance: 0.01, valueA: 'n', valueB: 'o' }],
      revision: 2,
    },
    '/v1/env/write': { created: [], updated: ['KEY'], deleted: [], revision: 3 },
  })
  await render(
    <>
      <RotationNotice
        place={place}
        stage={{ ...place, name: 'Live', isProduction: true } as unknown as Stage}
        variable={{ name: 'KEY', kind: 'ab_roll', chance: 0.01, rotating: true, digests: { a: 'x', b: 'y' } }}
        revision={2}
        change={change && ({ ...rotation, ...change } as unknown as ListedChange)}
        isReadOnly={false}
      />
      <Toasts />
    </>,
  )
  return requests
}

test.each([
  ['Finish', 1, 'new'],
  ['Back to old', 0, 'old'],
])('%s ends the rotation with the chance %i, after a question', async (label, chance, side) => {
  const requests = await show({})
  screen.getByText('Rotation, step 1 of 3')
  screen.getByText(/^1%\sof requests get the new value, all others the old one\.$/)
  screen.getByText(/^Next: 10%/)
  expect(document.body.textContent).not.toMatch(/A\/B|roll|proposed/i)
  await userEvent.click(screen.getByRole('button', { name: label }))
  await screen.findByRole('dialog', { name: `Give everyone the ${side} value of KEY?` })
  expect(requests.some(({ path }) => path.endsWith('/abort'))).toBe(false)
  await userEvent.click(screen.getAllByRole('button', { name: label }).at(-1) as HTMLElement)
  await screen.findByText(`Ended the rotation of KEY in Live: everyone gets the ${side} value`)
  expect(requests.find(({ path }) => path.endsWith('/abort'))?.body).toMatchObject({ id: 'chg_1', chance })
})

test('a paused rotation says so', async () => {
  await show({ state: 'paused', stepsDone: 2 })
  expect(screen.queryByText('Rotation, paused after step 2 of 3')).not.toBeNull()
})

test('a rotation that no change continues is ended by a write of its value', async () => {
  const requests = await show(undefined)
  screen.getByText('Rotation, without further steps')
  await userEvent.click(screen.getByRole('button', { name: 'Back to old' }))
  await screen.findByRole('dialog')
  await userEvent.click(screen.getAllByRole('button', { name: 'Back to old' }).at(-1) as HTMLElement)
  await screen.findByText('Ended the rotation of KEY in Live: everyone gets the old value')
  expect(requests.find(({ path }) => path.endsWith('/write'))?.body).toMatchObject({
    entries: [{ kind: 'secret', name: 'KEY', value: 'o' }],
  })
})
