import { Button, PasswordInput, type PasswordInputProps, Progress, Stack, TextInput } from '@mantine/core'
import type { GetInputPropsReturnType, UseFormReturnType } from '@mantine/form'
import { type ChangeEvent, createContext, type ReactNode, use, useLayoutEffect, useState } from 'react'
import { useDidUpdate } from '@mantine/hooks'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useIsConfirming } from '../session/confirmation.ts'
import { loadCommonPasswords } from '../lib/common-passwords.ts'
import { passwordCharacters, passwordStrength, slugOf } from '../lib/validation.ts'
import { hasCode } from '../service/errors.ts'
import { BusyButton } from './buttons.tsx'
import { ErrorNotice } from './notice.tsx'
import classes from './form.module.css'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { labels } from './labels.ts'
import { Drawer } from './dialog.tsx'

interface SubmitFormProps<Values extends Record<string, unknown>> {
  readonly form: UseFormReturnType<Values>
  /** Receives valid values. */
  readonly mutation: { mutate(values: Values): void; readonly error: unknown; readonly isPending: boolean }
  /** Text of the button. */
  readonly label: string
  /** Whether the person must choose something before submitting. */
  readonly isIncomplete?: boolean
  /**
   * Whether the button is a secondary one, because the page has other forms.
   * @default false
   */
  readonly isSecondary?: boolean
  /** A button before the others, such as one that deletes. */
  readonly leading?: ReactNode
  /** What the button Cancel does. @default closes the form's drawer; without a drawer there is no such button */
  readonly onCancel?: () => void
  /** A second button, which receives valid values too. */
  readonly alternative?: { readonly label: string; readonly submit: (values: Values) => void } | undefined
  readonly children: ReactNode
}

/**
 * Shows the fields of a form, its error and its button. A form drawer adds a button that closes it, and asks before input is lost that
 * was not submitted.
 */
export function SubmitForm<Values extends Record<string, unknown>>(props: SubmitFormProps<Values>) {
  const { form, mutation, label, isIncomplete = false, isSecondary = false, leading, alternative, children } = props
  const leaving = use(LeavingContext)
  const cancel = props.onCancel ?? leaving.close
  useUnsaved(form.isDirty() && !mutation.isPending)
  useDidUpdate(() => {
    if (!mutation.isPending && !mutation.error) form.resetDirty()
  }, [mutation.isPending])
  const focusFirstError = (errors: object): void => focusFirstProblem(form, errors)
  return (
    <form noValidate onSubmit={form.onSubmit((values) => mutation.mutate(values), focusFirstError)}>
      <Stack className={classes['fields']}>
        {children}
        <ErrorNotice error={mutation.error} isAnswer />
        <FormFooter>
          {leading}
          {cancel && !isSecondary && (
            <Button variant="default" onClick={cancel}>
              {labels.cancel}
            </Button>
          )}
          {alternative && (
            <Button
              variant="default"
              disabled={isIncomplete}
              onClick={() => form.onSubmit(alternative.submit, focusFirstError)()}
            >
              {alternative.label}
            </Button>
          )}
          <BusyButton
            type="submit"
            variant={isSecondary ? 'default' : 'filled'}
            disabled={isIncomplete}
            isBusy={mutation.isPending}
          >
            {label}
          </BusyButton>
        </FormFooter>
      </Stack>
    </form>
  )
}

/** Unfolds the fields that have an error, and begins in the first one from top to bottom. */
export function focusFirstProblem(
  { getInputNode }: Pick<UseFormReturnType<never>, 'getInputNode'>,
  errors: object,
): void {
  const fields = Object.keys(errors).flatMap((path) => getInputNode(path as never) ?? [])
  // A folded field cannot have the focus, and its problem is not in sight.
  for (const each of fields) each.closest('details')?.setAttribute('open', '')
  const [first] = fields.toSorted((one, other) =>
    one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  )
  first?.focus()
}

interface FormFooterProps {
  /** Buttons, the primary one last. */
  readonly children: ReactNode
}

/** Shows the buttons of a form. In a drawer they stay at its foot while the fields scroll. */
export function FormFooter({ children }: FormFooterProps) {
  return (
    <div className={classes['footer']} data-form-foot>
      {children}
    </div>
  )
}

interface FormDrawerProps {
  readonly opened: boolean
  readonly title: ReactNode
  /** A button right behind the title. */
  readonly titleAction?: ReactNode
  readonly onClose: () => void
  /**
   * Whether the focus returns to where it was.
   * @default true
   */
  readonly returnFocus?: boolean
  readonly children: ReactNode
}

function always(): boolean {
  return true
}

/** Shows a form in a drawer. It asks before unsaved input is lost, however the person leaves. */
export function FormDrawer({ opened, title, titleAction, onClose, returnFocus = true, children }: FormDrawerProps) {
  const { setUnsaved, leave, question } = useLeaveQuestion()
  // The dialog above closes with the same Escape.
  const isConfirming = useIsConfirming()
  return (
    <>
      <Drawer
        opened={opened}
        onClose={() => leave(onClose)}
        closeOnEscape={!question.opened && !isConfirming}
        returnFocus={returnFocus}
        title={title}
        titleAction={titleAction}
      >
        <LeavingContext value={{ setUnsaved, leave, close: () => leave(onClose) }}>{children}</LeavingContext>
      </Drawer>
      <LeaveDialog {...question} />
    </>
  )
}

interface GuardedFormProps {
  readonly children: ReactNode
}

/** Asks before unsaved input of a form of the page is lost, however the person leaves the page. */
export function GuardedForm({ children }: GuardedFormProps) {
  const { setUnsaved, leave, question } = useLeaveQuestion()
  return (
    <>
      <LeavingContext value={{ setUnsaved, leave }}>{children}</LeavingContext>
      <LeaveDialog {...question} />
    </>
  )
}

/** Returns the ways out of a form, and the question before them if input is unsaved. */
function useLeaveQuestion() {
  const [isUnsaved, setUnsaved] = useState(false)
  const [goal, setGoal] = useState<{ readonly go: () => void } | undefined>()
  // The blocker covers other pages and closing the tab.
  const blocker = useBlocker({ shouldBlockFn: always, disabled: !isUnsaved, withResolver: true })
  const leave = (go: () => void): void => (isUnsaved ? setGoal({ go }) : go())
  const stay = (): void => {
    setGoal(undefined)
    blocker.reset?.()
  }
  const throwAway = (): void => {
    setGoal(undefined)
    goal?.go()
    blocker.proceed?.()
  }
  const opened = goal !== undefined || blocker.status === 'blocked'
  return { setUnsaved, leave, question: { opened, onDiscard: throwAway, onStay: stay } }
}

interface LeaveDialogProps {
  readonly opened: boolean
  readonly onDiscard: () => void
  readonly onStay: () => void
}

/** Asks before unsaved input is lost. */
export function LeaveDialog({ opened, onDiscard, onStay }: LeaveDialogProps) {
  return (
    <ConfirmDialog
      title={labels.leave.title}
      label={labels.leave.discard}
      cancelLabel={labels.leave.stay}
      mutation={{ mutate: onDiscard, error: null, isPending: false }}
      opened={opened}
      onClose={onStay}
    >
      {labels.leave.text}
    </ConfirmDialog>
  )
}

interface SlugFieldsProps {
  /** The thing that has the name and slug. */
  readonly what: keyof typeof labels.places
  /** Input props of the form. */
  readonly name: GetInputPropsReturnType
  readonly slug: GetInputPropsReturnType
}

/** Shows the inputs of name and slug. The slug follows the name until the person edits it. */
export function SlugFields({ what, name, slug }: SlugFieldsProps) {
  const [isFollowing, setFollowing] = useState(true)
  const changeName = (event: ChangeEvent<HTMLInputElement>): void => {
    name.onChange(event)
    if (isFollowing) slug.onChange(slugOf(event.currentTarget.value))
  }
  const changeSlug = (event: ChangeEvent<HTMLInputElement>): void => {
    setFollowing(event.currentTarget.value === '')
    slug.onChange(event)
  }
  return (
    <>
      <TextInput
        {...name}
        onChange={changeName}
        label={labels.places[what].name}
        autoComplete={what === 'organization' ? 'organization' : 'off'}
        data-autofocus={what !== 'organization' || undefined}
        required
      />
      <TextInput
        {...slug}
        onChange={changeSlug}
        label={labels.places[what].slug}
        description={labels.slugHint}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: 'mono' }}
        required
      />
    </>
  )
}

const commonPasswordsQuery = queryOptions({
  queryKey: ['common-passwords'],
  queryFn: loadCommonPasswords,
  staleTime: Infinity,
})

const levels = {
  common: { share: 10, color: 'red' },
  weak: { share: 33, color: 'red' },
  fair: { share: 66, color: 'yellow' },
  strong: { share: 100, color: 'verdigris' },
} as const

interface NewPasswordInputProps extends PasswordInputProps {
  /** The error of the form, which the input shows if it is about the password. */
  readonly refusal: unknown
}

/** Shows the input of a new password with an estimate of its strength. */
export function NewPasswordInput({ refusal, ...props }: NewPasswordInputProps) {
  const password = typeof props.value === 'string' ? props.value : ''
  const [isEntered, setEntered] = useState(false)
  // Before someone types a password, nothing needs the list.
  const { data: isCommon } = useQuery({ ...commonPasswordsQuery, enabled: isEntered })
  const estimate = password === '' ? undefined : passwordStrength(password)
  const strength = estimate && isCommon?.(password) ? 'common' : estimate
  const level = strength && levels[strength]
  // What is too short is weak anyway, and its length is what to mend first.
  const isLong = password.length >= passwordCharacters.min
  // The form says why. The field is wrong until another password is in it.
  const isRefused = hasCode(refusal, 'PASSWORD_TOO_COMMON') && (!isCommon || strength === 'common')
  const error = props.error ?? isRefused
  return (
    <Stack gap={6}>
      <PasswordInput
        label={labels.password}
        autoComplete="new-password"
        required
        {...props}
        error={error}
        aria-invalid={Boolean(error) || undefined}
        onFocus={(event) => {
          props.onFocus?.(event)
          setEntered(true)
        }}
        description={
          // An error says what is wrong, and nothing else does.
          props.error
            ? undefined
            : strength && isLong
              ? labels.passwordStrengths[strength]
              : labels.passwordLength(passwordCharacters.min, passwordCharacters.max)
        }
      />
      {level && <Progress size={4} color={level.color} value={level.share} aria-hidden />}
    </Stack>
  )
}

interface Leaving {
  readonly setUnsaved: (isUnsaved: boolean) => void
  /** Runs an action that leaves the form, after a question if input is unsaved. */
  readonly leave: (go: () => void) => void
  /** Closes the form's drawer, if it has one. */
  readonly close?: () => void
}

/** The question before leaving a form. Forms outside drawers have none, unless they are guarded. */
const LeavingContext = createContext<Leaving>({ setUnsaved: () => {}, leave: (go) => go() })

/** Registers whether a form has unsaved input. */
export function useUnsaved(isUnsaved: boolean): void {
  const { setUnsaved } = use(LeavingContext)
  // Not after the next paint: the next key may be Escape.
  useLayoutEffect(() => {
    setUnsaved(isUnsaved)
    return () => setUnsaved(false)
  }, [isUnsaved, setUnsaved])
}

/** Returns a function that leaves the form, for its buttons. */
export function useLeave(): Leaving['leave'] {
  return use(LeavingContext).leave
}
