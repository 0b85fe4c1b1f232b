import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { render } from '../../testkit/render.tsx'
import { IdentityError } from '../service/errors.ts'
import { NewPasswordInput, SubmitForm } from './form.tsx'

function Form() {
  const form = useForm({
    initialValues: { first: '', second: '' },
    // In another order than the fields have.
    validate: () => ({ second: 'Enter the second.', first: 'Enter the first.' }),
  })
  return (
    <SubmitForm form={form} mutation={{ mutate: () => {}, error: null, isPending: false }} label="Save">
      <TextInput {...form.getInputProps('first')} label="First" />
      <TextInput {...form.getInputProps('second')} label="Second" />
    </SubmitForm>
  )
}

test('a form that is not valid begins in the first field, from top to bottom, that has an error', async () => {
  await render(<Form />)
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  screen.getByText('Enter the second.')
  expect(document.activeElement).toBe(screen.getByLabelText('First'))
})

test('a new password that the service refuses says why in its field', async () => {
  const details = { status: 400, message: 'Common.', reason: 'PASSWORD_TOO_COMMON' }
  await render(<NewPasswordInput value="password12" refusal={new IdentityError(details)} onChange={() => {}} />)
  expect(screen.queryByText(/^Attackers try this password first/)).not.toBeNull()
})
