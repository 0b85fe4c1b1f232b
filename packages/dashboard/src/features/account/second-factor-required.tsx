import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type EmbeddedViewer, useViewerChange } from '../../session/viewer.ts'
import { Page, Section } from '../../ui/page.tsx'
import { hasPasskeySupport, passkeysQuery, secondFactorQuery } from '../../data/account.ts'
import { OtherWays } from '../../parts/sign-in/other-ways.tsx'
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
        <OtherWays viewer={viewer} />
      </Stack>
    </Page>
  )
}
