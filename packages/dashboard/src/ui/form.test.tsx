import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
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

interface PasswordFormProps {
  readonly refusal?: unknown
  readonly error?: string
}

function PasswordForm({ refusal, error }: PasswordFormProps) {
  const [value, setValue] = useState('')
  return (
    <NewPasswordInput
      value={value}
      refusal={refusal}
      error={error}
      onChange={(event) => setValue(event.currentTarget.value)}
    />
  )
}

test('a password that is too short has one message, about its length', async () => {
  await render(<PasswordForm />)
  // The list has it, too.
  await userEvent.type(screen.getByLabelText(/^Password/), 'short')
  screen.getByText('10 to 128 characters')
  cleanup()
  await render(<PasswordForm error="Use at least 10 characters." />)
  await userEvent.type(screen.getByLabelText(/^Password/), 'short')
  screen.getByText('Use at least 10 characters.')
  expect(screen.queryByText('10 to 128 characters')).toBeNull()
  expect(screen.queryByText(/Use several words/)).toBeNull()
})

test('the field names a common password while it is typed, by a list that only it loads', async () => {
  await render(<PasswordForm />)
  const input = screen.getByLabelText(/^Password/)
  await userEvent.type(input, 'Password12')
  await screen.findByText(/^Attackers try this password first/)
  await userEvent.clear(input)
  await userEvent.type(input, 'correct horse battery')
  await screen.findByText('Strong')
  expect(screen.queryByText(/^Attackers try this password first/)).toBeNull()
})

test('the field of a refused password is wrong until another one is in it', async () => {
  const details = { status: 400, message: 'Common.', reason: 'PASSWORD_TOO_COMMON' }
  await render(<PasswordForm refusal={new IdentityError(details)} />)
  const input = screen.getByLabelText(/^Password/)
  expect(input.getAttribute('aria-invalid')).toBe('true')
  await userEvent.type(input, 'password12')
  await screen.findByText(/^Attackers try this password first/)
  expect(input.getAttribute('aria-invalid')).toBe('true')
  await userEvent.type(input, ' horse battery')
  await expect.poll(() => input.getAttribute('aria-invalid')).not.toBe('true')
})
