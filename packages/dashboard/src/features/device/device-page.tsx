import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button, Group, List, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { rememberUserCode, useLinkParameters } from '../../session/return-path.ts'
import { Page } from '../../ui/page.tsx'
import { Loading } from '../../ui/loading.tsx'
import { type Organization, useViewer } from '../../session/viewer.ts'
import { codeOf } from '../../service/errors.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { BusyButton, ButtonLink, TextLink } from '../../ui/buttons.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { TimeText } from '../../ui/time.tsx'
import { UntrustedText } from '../../ui/name.tsx'
import { normalUserCode, shownUserCode } from './user-code.ts'
import classes from './device-page.module.css'
import { labels } from './labels.ts'
import { approveLogin, denyLogin, showLogin, type WaitingLogin } from './device.ts'

/** Approves or denies a CLI login. */
export function DevicePage() {
  const { user_code: linked } = useLinkParameters('user_code')
  return <DeviceSteps key={linked} linkedCode={linked === undefined ? undefined : normalUserCode(linked)} />
}

interface DeviceStepsProps {
  readonly linkedCode: string | undefined
}

/** Asks for the code if the link has none, then shows the login. */
function DeviceSteps({ linkedCode }: DeviceStepsProps) {
  const [userCode, setUserCode] = useState(linkedCode)
  useEffect(() => {
    rememberUserCode(userCode)
    return () => rememberUserCode(undefined)
  }, [userCode])
  if (userCode === undefined) return <CodeEntry onEntered={setUserCode} />
  return <LoginReview userCode={userCode} onRestart={() => setUserCode(undefined)} />
}

interface CodeEntryProps {
  readonly onEntered: (userCode: string) => void
}

function CodeEntry({ onEntered }: CodeEntryProps) {
  const form = useForm({
    initialValues: { code: '' },
    validate: {
      code: (typed) => (normalUserCode(typed) === undefined ? labels.entry.invalid : null),
    },
  })
  const field = useRef<HTMLInputElement>(null)
  // The page has one thing to do.
  useEffect(() => field.current?.focus(), [])
  const show = ({ code }: typeof form.values): void => {
    const userCode = normalUserCode(code)
    if (userCode !== undefined) onEntered(userCode)
  }
  return (
    <Page title={labels.entry.title} lead={labels.entry.lead}>
      <form noValidate onSubmit={form.onSubmit(show, () => form.getInputNode('code')?.focus())}>
        <Stack>
          <TextInput
            {...form.getInputProps('code')}
            ref={field}
            classNames={{ input: classes['code-input'] }}
            label={labels.entry.code}
            description={labels.entry.codeUse}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            required
          />
          <Button type="submit">{labels.entry.submit}</Button>
        </Stack>
      </form>
    </Page>
  )
}

interface LoginReviewProps {
  readonly userCode: string
  /** Returns to the entry of a code. */
  readonly onRestart: () => void
}

/** Returns whether nothing is left to decide. */
function isOver(error: Error | null): boolean {
  return ['DEVICE_CODE_NOT_FOUND', 'DEVICE_CODE_EXPIRED'].includes(codeOf(error))
}

/** Returns whether the organization requires another sign-in, which its pages lead to. */
function isSignInRefused(error: Error | null): boolean {
  return ['COMPANY_SIGN_IN_REQUIRED', 'SECOND_FACTOR_MISSING'].includes(codeOf(error))
}

/** Minimum wait before the next request, for a browser whose clock is ahead of the service. */
const minWaitMs = 10_000

function LoginReview({ userCode, onRestart }: LoginReviewProps) {
  const viewer = useViewer()
  const { provider } = viewer
  // Any organization of the viewer may look at the code, and deny it.
  const orgSlug = viewer.provider === 'external' ? viewer.organization.slug : (viewer.organizations[0]?.slug ?? '')
  const login = useQuery({
    queryKey: ['device', userCode, orgSlug],
    queryFn: () => showLogin({ provider, orgSlug }, userCode),
    gcTime: 0,
    refetchOnWindowFocus: 'always',
    // Asks when the code expires, because the service decides whether it has.
    refetchInterval: ({ state: { data, error } }) =>
      data && !error && Math.max(data.expiresAtMs - Date.now(), minWaitMs),
    refetchIntervalInBackground: true,
  })
  const approve = useMutation({ mutationFn: (chosen: string) => approveLogin({ provider, orgSlug: chosen }, userCode) })
  const deny = useMutation({ mutationFn: () => denyLogin({ provider, orgSlug }, userCode) })

  if (approve.isSuccess) return <LoginOutcome outcome="approved" />
  if (deny.isSuccess) return <LoginOutcome outcome="denied" />
  const decisionError = approve.error ?? deny.error
  const error = login.error ?? (isOver(decisionError) || isSignInRefused(decisionError) ? decisionError : null)
  if (error) {
    const problem = { error, userCode, orgSlug: approve.variables ?? orgSlug }
    const retry = (): void => {
      approve.reset()
      deny.reset()
      void login.refetch()
    }
    return <LoginProblem {...problem} onRetry={retry} onRestart={onRestart} />
  }
  if (!login.data) {
    return (
      <Page title={labels.looking}>
        <Loading />
      </Page>
    )
  }
  return <LoginDecision login={login.data} userCode={userCode} approve={approve} deny={deny} error={decisionError} />
}

interface LoginOutcomeProps {
  readonly outcome: keyof typeof labels.outcomes
}

function LoginOutcome({ outcome }: LoginOutcomeProps) {
  const { title, text } = labels.outcomes[outcome]
  return (
    <Page title={title}>
      <Notice kind={outcome === 'approved' ? 'success' : 'info'}>{text}</Notice>
      <TextLink to="/">{labels.goHome}</TextLink>
    </Page>
  )
}

interface LoginProblemProps {
  readonly error: Error
  readonly userCode: string
  /** The organization in which the request was refused. */
  readonly orgSlug: string
  readonly onRetry: () => void
  readonly onRestart: () => void
}

/** Shows what is wrong with the code or the person instead of a login, and the next step. */
function LoginProblem({ error, userCode, orgSlug, onRetry, onRestart }: LoginProblemProps) {
  const code = codeOf(error)
  return (
    <Page title={labels.problems[code] ?? labels.otherProblem}>
      <ErrorNotice error={error} />
      <Group grow>
        {code === 'ORG_SCOPE_INVALID' && (
          <ButtonLink to="/organizations" state={{ returnTo: `/device#user_code=${userCode}` }}>
            {labels.chooseOrganization}
          </ButtonLink>
        )}
        {isSignInRefused(error) && (
          <ButtonLink to="/o/$orgSlug" params={{ orgSlug }}>
            {labels.openOrganization}
          </ButtonLink>
        )}
        {!code.startsWith('DEVICE_CODE') && (
          <Button variant="default" onClick={onRetry}>
            {labels.tryAgain}
          </Button>
        )}
        <Button variant="default" onClick={onRestart}>
          {labels.otherCode}
        </Button>
      </Group>
    </Page>
  )
}

interface LoginDecisionProps {
  readonly login: WaitingLogin
  readonly userCode: string
  readonly approve: { mutate(orgSlug: string): void; readonly isPending: boolean }
  readonly deny: { mutate(): void; readonly isPending: boolean }
  /** The error of the last attempt to approve or deny. */
  readonly error: Error | null
}

function LoginDecision({ login, userCode, approve, deny, error }: LoginDecisionProps) {
  const viewer = useViewer()
  const organizations = viewer.provider === 'embedded' ? viewer.organizations : []
  const [chosen, setChosen] = useState<string>()
  const orgSlug = organizations.length < 2 ? login.orgSlug : chosen
  const organization =
    viewer.provider === 'embedded' ? (
      <BoundOrganization organizations={organizations} value={orgSlug} onChange={setChosen} />
    ) : (
      login.orgSlug
    )
  return (
    <Page title={labels.decision.title}>
      <Stack gap={4}>
        <span id="code-label">{labels.decision.code}</span>
        <div className={classes['code']} role="group" aria-labelledby="code-label">
          {shownUserCode(userCode)}
        </div>
      </Stack>
      <LoginFacts login={login} organization={organization} />
      <ApprovalWarning />
      <ErrorNotice error={error} />
      <Group grow>
        <BusyButton
          isBusy={approve.isPending}
          disabled={deny.isPending || orgSlug === undefined}
          onClick={() => orgSlug !== undefined && approve.mutate(orgSlug)}
        >
          {labels.decision.approve}
        </BusyButton>
        <BusyButton
          color="red"
          variant="outline"
          isBusy={deny.isPending}
          disabled={approve.isPending}
          onClick={() => deny.mutate()}
        >
          {labels.decision.deny}
        </BusyButton>
      </Group>
    </Page>
  )
}

function ApprovalWarning() {
  return (
    <Notice kind="warning" title={labels.decision.warning}>
      <List spacing={6}>
        {labels.decision.warnings.map((text) => (
          <List.Item key={text}>{text}</List.Item>
        ))}
      </List>
    </Notice>
  )
}

interface BoundOrganizationProps {
  readonly organizations: readonly Organization[]
  /** Slug of the chosen organization, if any. */
  readonly value: string | undefined
  readonly onChange: (orgSlug: string) => void
}

/** Shows the organization that the client gets access to. If there are several, none is preselected. */
function BoundOrganization({ organizations, value, onChange }: BoundOrganizationProps) {
  if (organizations.length < 2) return <strong>{organizations[0]?.name}</strong>
  return (
    <NativeSelect
      aria-label={labels.decision.organization}
      value={value ?? ''}
      data={[
        { value: '', label: labels.decision.chooseOrganization, disabled: true },
        ...organizations.map(({ slug, name }) => ({ value: slug, label: name })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

interface LoginFactsProps {
  readonly login: WaitingLogin
  /** Its name, or a select. */
  readonly organization: ReactNode
}

function LoginFacts({ login: { clientName, requestedAtMs, expiresAtMs }, organization }: LoginFactsProps) {
  const client = clientName === undefined ? labels.decision.unnamed : <UntrustedText>{clientName}</UntrustedText>
  return (
    <DescriptionList
      facts={{
        [labels.decision.client]: client,
        [labels.decision.organization]: organization,
        [labels.decision.requested]: <TimeText ms={requestedAtMs} />,
        [labels.decision.expires]: <TimeText ms={expiresAtMs} />,
      }}
    />
  )
}
