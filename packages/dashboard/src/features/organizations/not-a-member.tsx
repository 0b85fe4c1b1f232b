import { Stack } from '@mantine/core'
import { BusyButton, ButtonLink } from '../../ui/buttons.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { type EmbeddedViewer, useSignOut } from '../../session/viewer.ts'
import { labels } from './labels.ts'

interface NotAMemberProps {
  readonly orgSlug: string
  readonly viewer: EmbeddedViewer
}

/** Shows that the viewer is not in the organization of the address, without revealing whether it exists. */
export function NotAMember({ orgSlug, viewer: { email } }: NotAMemberProps) {
  const signOut = useSignOut()
  return (
    <Page title={labels.notAMember.title(orgSlug)} lead={labels.notAMember.text(email)}>
      <ErrorNotice error={signOut.error} />
      <Stack>
        <ButtonLink to="/organizations">{labels.notAMember.choose}</ButtonLink>
        <BusyButton variant="default" isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
          {labels.notAMember.signOut}
        </BusyButton>
      </Stack>
    </Page>
  )
}
