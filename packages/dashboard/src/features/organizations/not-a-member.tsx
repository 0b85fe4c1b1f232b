import { BusyButton } from '../../ui/busy-button.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { useSignOut } from '../../session/use-sign-out.ts'
import type { EmbeddedViewer } from '../../session/viewer.ts'
import { CardLayout } from '../../app/shell/card-layout.tsx'

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
        <ErrorNotice error={signOut.error} />
        <ButtonLink to="/organizations">Choose an organization</ButtonLink>
        <BusyButton variant="default" isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign in with another account
        </BusyButton>
      </Page>
    </CardLayout>
  )
}
