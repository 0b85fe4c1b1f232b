import { Button, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { BusyButton } from './busy-button.tsx'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import { FormFooter } from './form-footer.tsx'

interface SubmitFormProps<Values extends Record<string, unknown>> {
  readonly form: UseFormReturnType<Values>
  /** What is done with valid values. */
  readonly mutation: { mutate(values: Values): void; readonly error: unknown; readonly isPending: boolean }
  /** Of the button. */
  readonly label: string
  /** Whether something must be chosen before there is anything to submit. */
  readonly isIncomplete?: boolean
  /** What else can be done with valid values, by a second button. */
  readonly alternative?: { readonly label: string; readonly submit: (values: Values) => void } | undefined
  readonly children: ReactNode
}

/** A form: its fields, what went wrong, and its button. */
export function SubmitForm<Values extends Record<string, unknown>>(props: SubmitFormProps<Values>) {
  const { form, mutation, label, isIncomplete = false, alternative, children } = props
  const focusFirstError = (errors: object): void => {
    const [first] = Object.keys(errors)
    if (first !== undefined) form.getInputNode(first)?.focus()
  }
  return (
    <form noValidate onSubmit={form.onSubmit((values) => mutation.mutate(values), focusFirstError)}>
      <Stack maw={480}>
        {children}
        <ErrorNotice error={mutation.error} />
        <FormFooter>
          {alternative && (
            <Button
              variant="default"
              disabled={isIncomplete}
              onClick={() => form.onSubmit(alternative.submit, focusFirstError)()}
            >
              {alternative.label}
            </Button>
          )}
          <BusyButton type="submit" disabled={isIncomplete} isBusy={mutation.isPending}>
            {label}
          </BusyButton>
        </FormFooter>
      </Stack>
    </form>
  )
}
