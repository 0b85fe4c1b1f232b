import type { Stage } from '@rollkey/sdk/core'
import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../../testkit/answers.ts'
import { render } from '../../../../testkit/render.tsx'
import type { Row } from '../../../data/variables/comparison.ts'
import { endConfirmation } from '../../../session/confirmation.ts'
import { labels } from './labels.ts'
import { usePlainValues } from '../plain-values.ts'
import { LockedStages } from './locked-stages.tsx'

const prod = { stageSlug: 'prod', name: 'prod', isProtected: true } as Stage
const stages = [prod]
const variable = { name: 'A', kind: 'secret', exposure: 'plain', digests: { value: 'd' } } as const
const rows: readonly Row[] = [
  { name: 'A', cells: [{ state: 'set', variable }], leading: variable, lastChange: undefined, declared: undefined },
]

function Values() {
  const plain = usePlainValues('shop', stages, rows)
  return (
    <>
      <LockedStages projectSlug="shop" stages={stages.filter((_, at) => plain[at]?.isLocked)} />
      <output>{plain[0]?.values.get('A')?.kind}</output>
    </>
  )
}

test('says why the values of a protected stage are hidden, and shows them after a confirmation in place', async () => {
  let isConfirmed = false
  answer({
    '/v1/whoami': {},
    '/v1/env/plain': () => {
      if (isConfirmed) return { variables: [{ name: 'A', kind: 'secret', value: '1' }] }
      const error = { code: 'CONFIRMATION_REQUIRED', message: 'Confirm.', requestId: 'request-1' }
      return Response.json({ error }, { status: 403 })
    },
  })
  await render(<Values />)
  await screen.findByText(labels.locked(['prod']))
  await userEvent.click(screen.getByRole('button', { name: labels.confirm }))
  isConfirmed = true
  endConfirmation(true)
  await expect.poll(() => screen.getAllByRole('status').map(({ textContent }) => textContent)).toEqual(['secret'])
  expect(screen.queryByText(labels.locked(['prod']))).toBeNull()
})
