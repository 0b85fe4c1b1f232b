import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { BusyButton } from '../../ui/busy-button.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { startExternalSignIn } from '../../session/external-sign-in.ts'
import type { ExternalViewer } from '../../session/viewer.ts'
import { CardLayout } from '../../app/shell/card-layout.tsx'
import { labels } from './labels.ts'

interface OtherSignInProps {
  readonly orgSlug: string
  readonly viewer: ExternalViewer
}

/** Shows that the identity provider signed the viewer in to another organization than that of the address. */
export function OtherSignIn({ orgSlug, viewer: { organization } }: OtherSignInProps) {
  const href = useLocation({ select: (location) => location.href })
  const start = useMutation({ mutationFn: () => startExternalSignIn(href) })
  return (
    <CardLayout>
      <Page title={labels.otherSignIn.title(organization.slug)} lead={labels.otherSignIn.text(orgSlug)}>
        <ErrorNotice error={start.error} />
        <BusyButton isBusy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
          {labels.otherSignIn.signIn}
        </BusyButton>
        <ButtonLink to="/o/$orgSlug" params={{ orgSlug: organization.slug }} variant="default">
          {labels.otherSignIn.goTo(organization.slug)}
        </ButtonLink>
      </Page>
    </CardLayout>
  )
}
