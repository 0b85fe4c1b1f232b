import { BusyButton } from '../../components/busy-button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useSignOut } from '../../hooks/use-sign-out.ts'
import type { EmbeddedViewer } from '../../identity/viewer.ts'
import { CardLayout } from '../../layouts/card-layout.tsx'

interface NotAMemberProps {
  readonly orgSlug: string
  readonly viewer: EmbeddedViewer
}

/** For an address of an organization that the viewer is not in. It does not tell whether there is such an organization. */
export function NotAMember({ orgSlug, viewer: { email } }: NotAMemberProps) {
  const signOut = useSignOut()
  return (
    <CardLayout>
      <Page
        title={`You are not a member of ${orgSlug}`}
        lead={`You are signed in as ${email}. Choose one of your organizations, ask to be invited to this one, or sign in with another account.`}
      >
        <ProblemNotice error={signOut.error} />
        <ButtonLink to="/organizations">Choose an organization</ButtonLink>
        <BusyButton variant="default" isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign in with another account
        </BusyButton>
      </Page>
    </CardLayout>
  )
}
