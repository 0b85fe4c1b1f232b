import { useMutation, useQuery } from '@tanstack/react-query'
import { Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { useLinkParameters } from '../../session/return-path.ts'
import { useSettings } from '../../session/settings.ts'
import { rolesWithArticle } from '../../lib/roles.ts'
import { Loading } from '../../ui/loading.tsx'
import { useSignOut, useViewerChange, type Viewer, viewerQuery } from '../../session/viewer.ts'
import { BusyButton, ButtonLink } from '../../ui/buttons.tsx'
import { newPassword, required } from '../../lib/validation.ts'
import { NewPasswordInput, SubmitForm } from '../../ui/form.tsx'
import { CompanySignIn } from '../../parts/sign-in/company.tsx'
import { PasswordForm } from '../../parts/sign-in/password-form.tsx'
import { labels } from './labels.ts'
import { LinkProblem } from './link-problem.tsx'
import {
  acceptInvitation,
  declineInvitation,
  type Invitation,
  invitationQuery,
  signUpByInvitation,
} from '../../data/links.ts'
import { labels as signInLabels } from '../../parts/sign-in/labels.ts'

export function InvitationPage() {
  const { provider } = useSettings()
  const { id } = useLinkParameters('id')
  if (provider === 'external') {
    return <Page title={labels.invitation.title} lead={labels.invitation.external} />
  }
  if (id === undefined) {
    return (
      <Page title={labels.invitation.title}>
        <Notice kind="warning" title={labels.invitation.incompleteTitle}>
          {labels.invitation.incomplete}
        </Notice>
      </Page>
    )
  }
  return <InvitationReview key={id} id={id} />
}

interface InvitationReviewProps {
  readonly id: string
}

function InvitationReview({ id }: InvitationReviewProps) {
  const invitation = useQuery(invitationQuery(id))
  const viewer = useQuery(viewerQuery('embedded'))
  if (!invitation.data || viewer.data === undefined) {
    const error = invitation.error ?? viewer.error
    return <Page title={labels.invitation.title}>{error ? <LinkProblem error={error} /> : <Loading />}</Page>
  }
  const { organizationName, inviterName, role } = invitation.data
  return (
    <Page
      title={labels.invitation.join(organizationName)}
      lead={labels.invitation.invitedBy(inviterName, organizationName, rolesWithArticle[role])}
    >
      <InvitationAnswer id={id} invitation={invitation.data} viewer={viewer.data} />
    </Page>
  )
}

interface InvitationAnswerProps {
  readonly id: string
  readonly invitation: Invitation
  readonly viewer: Viewer | null
}

/** Shows the next step, which depends on whether the invited person has an account and on who is signed in. */
function InvitationAnswer({ id, invitation: { email, hasAccount }, viewer }: InvitationAnswerProps) {
  const viewerChanged = useViewerChange()
  if (viewer?.provider === 'embedded') {
    const isInvited = viewer.email.toLowerCase() === email.toLowerCase()
    return isInvited ? <InvitationDecision id={id} /> : <OtherAccount signedIn={viewer.email} invited={email} />
  }
  if (!hasAccount) return <InvitationSignUp id={id} email={email} />
  return (
    <>
      <Text>{labels.invitation.hasAccount}</Text>
      <CompanySignIn next={`/invitation#id=${id}`} />
      <PasswordForm fixedEmail={email} onSignedIn={viewerChanged} />
    </>
  )
}

interface OtherAccountProps {
  /** Email addresses. */
  readonly signedIn: string
  readonly invited: string
}

function OtherAccount({ signedIn, invited }: OtherAccountProps) {
  const signOut = useSignOut()
  return (
    <>
      <Text className="wrapping">{labels.invitation.otherAccount(invited, signedIn)}</Text>
      <ErrorNotice error={signOut.error} />
      <BusyButton isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
        {labels.invitation.signOut}
      </BusyButton>
    </>
  )
}

interface InvitationSignUpProps {
  readonly id: string
  readonly email: string
}

/** Creates the account of the invited person, which accepts the invitation. */
function InvitationSignUp({ id, email }: InvitationSignUpProps) {
  const viewerChanged = useViewerChange()
  const form = useForm({
    initialValues: { name: '', password: '' },
    validate: { name: required(signInLabels.fields.nameMissing), password: newPassword },
  })
  const signUp = useMutation({
    mutationFn: async (values: typeof form.values) => {
      await signUpByInvitation({ id, ...values })
      await acceptInvitation(id)
    },
    onSuccess: () => viewerChanged('/'),
    // The account may exist now. Then the page offers to accept.
    onError: () => viewerChanged(),
  })
  return (
    <>
      <Text>{labels.invitation.createAccount}</Text>
      <CompanySignIn next="/" invitation={id} />
      <SubmitForm form={form} mutation={signUp} label={labels.invitation.createAndJoin}>
        <TextInput label={signInLabels.fields.email} type="email" value={email} autoComplete="username" readOnly />
        <TextInput {...form.getInputProps('name')} label={signInLabels.fields.name} autoComplete="name" required />
        <NewPasswordInput {...form.getInputProps('password')} refusal={signUp.error} />
      </SubmitForm>
    </>
  )
}

interface InvitationDecisionProps {
  readonly id: string
}

function InvitationDecision({ id }: InvitationDecisionProps) {
  const viewerChanged = useViewerChange()
  const accept = useMutation({ mutationFn: () => acceptInvitation(id), onSuccess: () => viewerChanged('/') })
  const decline = useMutation({ mutationFn: () => declineInvitation(id) })
  if (decline.isSuccess) {
    return (
      <>
        <Notice kind="success">{labels.invitation.declined}</Notice>
        <ButtonLink to="/" variant="default">
          {labels.invitation.goHome}
        </ButtonLink>
      </>
    )
  }
  return (
    <>
      <Text>{labels.invitation.decide}</Text>
      <ErrorNotice error={accept.error ?? decline.error} />
      <Group grow>
        <BusyButton isBusy={accept.isPending} onClick={() => accept.mutate()}>
          {labels.invitation.accept}
        </BusyButton>
        <BusyButton variant="default" isBusy={decline.isPending} onClick={() => decline.mutate()}>
          {labels.invitation.decline}
        </BusyButton>
      </Group>
    </>
  )
}
