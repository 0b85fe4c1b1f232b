import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { place, plan } from '../../../testkit/plan.ts'
import { render } from '../../../testkit/render.tsx'
import { PlannedChanges } from './planned-changes.tsx'

async function textOf(change: object): Promise<string | null> {
  answer({ '/v1/whoami': {}, '/v1/changes/list': { changes: [{ ...plan, ...change }] } })
  await render(<PlannedChanges place={place} name="CHECKOUT" />)
  return (await screen.findByRole('listitem')).textContent
}

test('a plan says when its next step is', async () => {
  expect(await textOf({})).toMatch(/^Roll out CHECKOUTApplies in 12 hoursNext: 75% in 12 hours/)
})

test('a plan that is out of date promises nothing, and leads to its page', async () => {
  expect(await textOf({ conflictAt: 7 })).toBe(
    'Roll out CHECKOUTOut of dateIt cannot be applied, because CHECKOUT has changed since. Open it to renew or withdraw it.',
  )
  screen.getByRole('link', { name: 'Roll out CHECKOUT' })
})

test('a plan that failed promises no step', async () => {
  expect(await textOf({ state: 'failed', dueAtMs: undefined })).toBe('Roll out CHECKOUTFailed')
})
