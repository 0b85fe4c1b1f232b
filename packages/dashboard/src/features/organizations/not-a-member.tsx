import { BusyButton } from '../../ui/busy-button.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { useSignOut } from '../../session/use-sign-out.ts'
import type { EmbeddedViewer } from '../../session/viewer.ts'
import { CardLayout } from '../../app/shell/card-layout.tsx'
import { labels } from './labels.ts'

interface NotAMemberProps {
  readonly orgSlug: string
  readonly viewer: EmbeddedViewer
}

/** Shows that the viewer is not in the organization of the address, without revealing whether it exists. */
export function NotAMember({ orgSlug, viewer: { email } }: NotAMemberProps) {
  const signOut = useSignOut()
  return (
    <CardLayout>
      <Page title={labels.notAMember.title(orgSlug)} lead={labels.notAMember.text(email)}>
        <ErrorNotice error={signOut.error} />
        <ButtonLink to="/organizations">{labels.notAMember.choose}</ButtonLink>
        <BusyButton variant="default" isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
          {labels.notAMember.signOut}
        </BusyButton>
      </Page>
    </CardLayout>
  )
}
