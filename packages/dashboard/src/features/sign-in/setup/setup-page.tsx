import { Code, Text } from '@mantine/core'
import { Notice } from '../../../ui/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { TextLink } from '../../../ui/text-link.tsx'
import { useLinkParameter } from '../../../session/use-link-parameter.ts'
import { SetupForm } from './setup-form.tsx'

export function SetupPage() {
  const token = useLinkParameter('token')
  if (token === undefined) {
    return (
      <Page title="Set up Rollkey">
        <Notice kind="warning" title="The set-up link is missing">
          Open the whole link that Rollkey printed at its start. For a new one, restart Rollkey, or run{' '}
          <Code>npx rollkey-server setup-link</Code> on its machine.
        </Notice>
        <Text size="sm">
          Is Rollkey set up already? <TextLink to="/sign-in">Sign in</TextLink>
        </Text>
      </Page>
    )
  }
  return (
    <Page title="Set up Rollkey" lead="Create the first account and its organization. You will be its owner.">
      <SetupForm token={token} />
    </Page>
  )
}
