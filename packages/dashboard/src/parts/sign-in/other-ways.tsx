import { useSignOut, type EmbeddedViewer } from '../../session/viewer.ts'
import { BusyButton, ButtonLink } from '../../ui/buttons.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'

const { otherWays: words } = labels

interface OtherWaysProps {
  readonly viewer: EmbeddedViewer
}

/** Leads a person whom an organization refuses to the others that they have, or signs them out. */
export function OtherWays({ viewer: { organizations } }: OtherWaysProps) {
  const signOut = useSignOut()
  return (
    <>
      <ErrorNotice error={signOut.error} />
      {organizations.length > 1 && (
        <ButtonLink variant="default" to="/organizations">
          {words.organizations}
        </ButtonLink>
      )}
      <BusyButton variant="subtle" isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
        {words.signOut}
      </BusyButton>
    </>
  )
}
