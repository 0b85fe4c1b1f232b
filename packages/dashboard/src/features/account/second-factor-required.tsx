import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type EmbeddedViewer, useSignOut, useViewerChange } from '../../session/viewer.ts'
import { BusyButton, ButtonLink } from '../../ui/buttons.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { hasPasskeySupport, passkeysQuery, secondFactorQuery } from '../../data/account.ts'
import { PasskeyButton } from '../../parts/sign-in/password-form.tsx'
import { useHasPassword } from './companies.tsx'
import { labels } from './labels.ts'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'

const { factorRequired: words } = labels

interface SecondFactorRequiredProps {
  readonly viewer: EmbeddedViewer
  /** Name of the organization. */
  readonly name: string
  /** Called as recovery codes appear, which the person must see to the end, and once they are saved. */
  readonly onCodes: (areShown: boolean) => void
}

/** Lets a person whose sign-in was not enough set up a second factor, or sign in with a passkey. */
export function SecondFactorRequired({ viewer, name, onCodes }: SecondFactorRequiredProps) {
  const { userId } = viewer
  const hasPassword = useHasPassword(userId)
  const { data: factor } = useQuery(secondFactorQuery(userId))
  const { data: passkeys = [] } = useQuery(passkeysQuery(userId))
  const viewerChanged = useViewerChange()
  const signOut = useSignOut()
  return (
    <Page title={words.title(name)} lead={words.lead}>
      {hasPassword && (
        <Section title={words.app}>
          {factor?.isOn && <Text>{words.isOn}</Text>}
          <SecondFactor userId={userId} isPrimary onCodes={onCodes} />
        </Section>
      )}
      <Section title={words.passkey}>
        <Passkeys viewer={viewer} />
        {passkeys.length > 0 && hasPasskeySupport() && (
          <>
            <Text>{words.enter}</Text>
            <PasskeyButton onSignedIn={viewerChanged} />
          </>
        )}
      </Section>
      <Stack>
        <ErrorNotice error={signOut.error} />
        {viewer.organizations.length > 1 && (
          <ButtonLink variant="default" to="/organizations">
            {words.others}
          </ButtonLink>
        )}
        <BusyButton variant="subtle" isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
          {words.signOut}
        </BusyButton>
      </Stack>
    </Page>
  )
}
