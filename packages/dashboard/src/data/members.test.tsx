import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../testkit/answers.ts'
import { render } from '../../testkit/render.tsx'
import { usePersonName } from './members.ts'

function Names() {
  const personName = usePersonName()
  return <p>{['grace', 'former'].map(personName).join(' and ')}</p>
}

test('an id is shown only of who left, once the members are read', async () => {
  const read = Promise.withResolvers<object>()
  answer({ '/identity/organization/list-members': () => read.promise })
  await render(<Names />)
  expect(screen.getByText('… and …')).toBeDefined()
  read.resolve({
    members: [{ id: 'm', userId: 'grace', role: 'admin', user: { name: 'Grace Hopper', email: 'g@x.y' } }],
  })
  expect(await screen.findByText('Grace Hopper and former')).toBeDefined()
})
