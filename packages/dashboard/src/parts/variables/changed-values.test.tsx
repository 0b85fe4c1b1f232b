import type { HistoryChange } from '@rollkey/sdk/core'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { useChangedValues, ValueDiff } from './changed-values.tsx'

const place = { projectSlug: 'shop', stageSlug: 'prod' }
const plain = { kind: 'secret', exposure: 'plain', digests: {} } as const
const change: HistoryChange = {
  ...plain,
  name: 'SIZE',
  revision: 3,
  change: 'updated',
  before: plain,
  writtenAtMs: 0,
  writtenBy: 'ada',
}

interface ShownProps {
  readonly changes: readonly HistoryChange[]
}

function Shown({ changes }: ShownProps) {
  const values = useChangedValues(place, undefined, changes)
  return changes.map((each) => (
    <section key={each.name} aria-label={each.name}>
      <ValueDiff change={each} values={values} />
    </section>
  ))
}

function lines(name: string): (string | null)[] {
  return [...screen.getByRole('region', { name }).querySelectorAll('[data-when]')].map(({ textContent }) => textContent)
}

it('shows what a change replaced and wrote, each side of a roll that differs, and an empty value in words', async () => {
  const requests = answer({
    '/v1/env/plain-history': {
      changes: [
        { revision: 3, name: 'FLAG', before: { valueA: 'on', valueB: 'off' }, after: { valueA: 'on', valueB: 'out' } },
        { revision: 3, name: 'SAME', before: { value: '1' }, after: { value: '1' } },
        { revision: 3, name: 'SIZE', before: { value: '20' }, after: { value: '' } },
        { revision: 2, name: 'SIZE', after: { value: '20' } },
      ],
    },
  })
  const changes = ['FLAG', 'SAME', 'SIZE'].map((name) => ({ ...change, name }))
  await render(<Shown changes={changes} />)
  await expect.poll(() => lines('SIZE')).toEqual(['Before−20', 'After+empty'])
  expect(lines('FLAG')).toEqual(['Before−value Boff', 'After+value Bout'])
  expect(lines('SAME')).toEqual([])
  expect(requests.at(-1)?.body).toEqual({ orgSlug: 'acme', ...place, before: 4, limit: 3 })
})

it('asks for no values of changes that are secret', async () => {
  const requests = answer({ '/v1/env/plain-history': { changes: [] } })
  const secret = { ...change, exposure: undefined, before: { kind: 'secret', digests: {} } } as const
  await render(<Shown changes={[secret]} />)
  await screen.findByRole('region', { name: 'SIZE' })
  expect(requests.filter(({ path }) => path.includes('plain-history'))).toEqual([])
})
