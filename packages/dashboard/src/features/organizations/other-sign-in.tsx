import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { BusyButton } from '../../ui/busy-button.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { startOutsideSignIn } from '../../session/external-sign-in.ts'
import type { OutsideViewer } from '../../session/viewer.ts'
import { CardLayout } from '../../app/shell/card-layout.tsx'

interface OtherSignInProps {
  readonly orgSlug: string
  readonly viewer: OutsideViewer
}

/** For an address of another organization than the one that the identity provider signed the viewer in to. */
export function OtherSignIn({ orgSlug, viewer: { organization } }: OtherSignInProps) {
  const href = useLocation({ select: (location) => location.href })
  const start = useMutation({ mutationFn: () => startOutsideSignIn(href) })
  return (
    <CardLayout>
      <Page
        title={`You are signed in to ${organization.slug}`}
        lead={`This page belongs to ${orgSlug}. Switch to that organization at your identity provider, then sign in here again.`}
      >
        <ErrorNotice error={start.error} />
        <BusyButton isBusy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
          Sign in again
        </BusyButton>
        <ButtonLink to="/o/$orgSlug" params={{ orgSlug: organization.slug }} variant="default">
          Go to {organization.slug}
        </ButtonLink>
      </Page>
    </CardLayout>
  )
}
