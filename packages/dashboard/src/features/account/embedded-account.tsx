import { Page } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import type { EmbeddedViewer } from '../../session/viewer.ts'
import { BrowserSessions } from './browser-sessions.tsx'
import { ClientSessions } from './client-sessions.tsx'
import { NameForm } from './name-form.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordChangeForm } from './password-change-form.tsx'

interface EmbeddedAccountProps {
  readonly viewer: EmbeddedViewer
}

export function EmbeddedAccount({ viewer }: EmbeddedAccountProps) {
  return (
    <Page title="Account" lead={`Your email is ${viewer.email}.`}>
      <Section title="Profile">
        <NameForm name={viewer.name} />
      </Section>
      <Section title="Password">
        <PasswordChangeForm email={viewer.email} />
      </Section>
      <Section title="Passkeys">
        <Passkeys viewer={viewer} />
      </Section>
      <Section title="Browser sessions">
        <BrowserSessions viewer={viewer} />
      </Section>
      <ClientSessions />
    </Page>
  )
}
