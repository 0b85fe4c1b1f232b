import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { BusyButton } from '../../components/busy-button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { startOutsideSignIn } from '../../identity/outside-sign-in.ts'
import type { OutsideViewer } from '../../identity/viewer.ts'
import { CardLayout } from '../../layouts/card-layout.tsx'

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
        <ProblemNotice error={start.error} />
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
