import { Text } from '@mantine/core'
import { PasswordForm } from '../password-form.tsx'
import { useViewerChange } from '../../../session/use-viewer-change.ts'
import type { Invitation } from '../../members/links.ts'
import type { Viewer } from '../../../session/viewer.ts'
import { InvitationDecision } from './invitation-decision.tsx'
import { InvitationSignUp } from './invitation-sign-up.tsx'
import { OtherAccount } from './other-account.tsx'

interface InvitationAnswerProps {
  readonly id: string
  readonly invitation: Invitation
  readonly viewer: Viewer | null
}

/** What the invited person does next, by whether they have an account and who is signed in. */
export function InvitationAnswer({ id, invitation: { email, hasAccount }, viewer }: InvitationAnswerProps) {
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
