import { useMutation, useQuery } from '@tanstack/react-query'
import { Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Notice } from '../../../ui/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { useLinkParameter } from '../../../session/use-link-parameter.ts'
import { useSettings } from '../../../session/use-settings.ts'
import { roleNames } from '../../../lib/roles.ts'
import { Loading } from '../../../ui/loading.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import {
  acceptInvitation,
  declineInvitation,
  type Invitation,
  invitationQuery,
  signUpByInvitation,
} from '../../members/links.ts'
import { type Viewer, viewerQuery } from '../../../session/viewer.ts'
import { PasswordForm } from '../password-form.tsx'
import { useViewerChange } from '../../../session/use-viewer-change.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { useSignOut } from '../../../session/use-sign-out.ts'
import { newPassword, required } from '../../../lib/validation.ts'
import { NewPasswordInput } from '../../../ui/new-password-input.tsx'
import { SubmitForm } from '../../../ui/submit-form.tsx'
import { ButtonLink } from '../../../ui/button-link.tsx'

export function InvitationPage() {
  const { provider } = useSettings()
  const id = useLinkParameter('id')
  if (provider === 'outside') {
    return <Page title="Invitation" lead="People of this service are invited at its identity provider. Ask there." />
  }
  if (id === undefined) {
    return (
      <Page title="Invitation">
        <Notice kind="warning" title="The link is incomplete">
          Open the whole link that you were given. If it does not work, ask whoever invited you for a new one.
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
    return <Page title="Invitation">{error ? <ErrorNotice error={error} /> : <Loading />}</Page>
  }
  const { organizationName, inviterName, role } = invitation.data
  const inviter = inviterName === '' ? 'You are invited' : `${inviterName} invites you`
  return (
    <Page title={`Join ${organizationName}`} lead={`${inviter} to ${organizationName} as: ${roleNames[role]}.`}>
      <InvitationAnswer id={id} invitation={invitation.data} viewer={viewer.data} />
    </Page>
  )
}

interface InvitationAnswerProps {
  readonly id: string
  readonly invitation: Invitation
  readonly viewer: Viewer | null
}

/** What the invited person does next, by whether they have an account and who is signed in. */
function InvitationAnswer({ id, invitation: { email, hasAccount }, viewer }: InvitationAnswerProps) {
  const viewerChanged = useViewerChange()
  if (viewer?.provider === 'embedded') {
    const isInvited = viewer.email.toLowerCase() === email.toLowerCase()
    return isInvited ? <InvitationDecision id={id} /> : <OtherAccount signedIn={viewer.email} invited={email} />
  }
  if (!hasAccount) return <InvitationSignUp id={id} email={email} />
  return (
    <>
      <Text>You have an account already. Sign in with it to answer the invitation.</Text>
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
      <Text className="wrapping">
        The invitation is for <strong>{invited}</strong>, but you are signed in as <strong>{signedIn}</strong>. Sign out
        to go on as {invited}.
      </Text>
      <ErrorNotice error={signOut.error} />
      <BusyButton isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out
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
    validate: { name: required('your name'), password: newPassword },
  })
  const signUp = useMutation({
    mutationFn: async (values: typeof form.values) => {
      await signUpByInvitation({ id, ...values })
      await acceptInvitation(id)
    },
    onSuccess: () => viewerChanged('/'),
    // The account may be there by now: then the page offers to accept.
    onError: () => viewerChanged(),
  })
  return (
    <>
      <Text>Create your account to accept the invitation.</Text>
      <SubmitForm form={form} mutation={signUp} label="Create account and join">
        <TextInput label="Email" type="email" value={email} autoComplete="username" readOnly />
        <TextInput {...form.getInputProps('name')} label="Your name" autoComplete="name" required />
        <NewPasswordInput {...form.getInputProps('password')} />
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
        <Notice kind="success">You declined the invitation.</Notice>
        <ButtonLink to="/" variant="default">
          Go to the start page
        </ButtonLink>
      </>
    )
  }
  return (
    <>
      <Text>Accept to become a member. You can leave the organization at any time.</Text>
      <ErrorNotice error={accept.error ?? decline.error} />
      <Group grow>
        <BusyButton isBusy={accept.isPending} onClick={() => accept.mutate()}>
          Accept invitation
        </BusyButton>
        <BusyButton variant="default" isBusy={decline.isPending} onClick={() => decline.mutate()}>
          Decline
        </BusyButton>
      </Group>
    </>
  )
}
