import { Page } from '../../ui/page.tsx'
import { useViewer } from '../../session/viewer-context.ts'
import { ClientSessions } from './client-sessions.tsx'
import { EmbeddedAccount } from './embedded-account.tsx'

export function AccountPage() {
  const viewer = useViewer()
  if (viewer.provider === 'embedded') return <EmbeddedAccount viewer={viewer} />
  const who = viewer.name === undefined ? 'You are signed in' : `You are signed in as ${viewer.name}`
  return (
    <Page
      title="Account"
      lead={`${who} by your identity provider. Your name, your password and your other sign-ins are managed there.`}
    >
      <ClientSessions />
    </Page>
  )
}
