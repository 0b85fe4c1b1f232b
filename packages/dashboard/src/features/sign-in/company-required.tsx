import { Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { type Company, methodsQuery, startCompanySignIn } from '../../session/company.ts'
import { confirming } from '../../session/confirmation.ts'
import { useSettings } from '../../session/settings.ts'
import type { EmbeddedViewer } from '../../session/viewer.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { CompanyFailure } from '../../parts/sign-in/company.tsx'
import { OtherWays } from '../../parts/sign-in/other-ways.tsx'
import { labels } from './labels.ts'
import { labels as signInLabels } from '../../parts/sign-in/labels.ts'

const { companyRequired: words } = labels

interface CompanyRequiredProps {
  readonly viewer: EmbeddedViewer
  readonly name: string
}

/** Says how to enter. A person whose account is not connected to the company connects it first. */
export function CompanyRequired({ viewer, name }: CompanyRequiredProps) {
  const settings = useSettings()
  const companies = settings.provider === 'embedded' ? settings.companies : []
  const { data } = useQuery(methodsQuery(viewer.userId))
  const connected = new Set(data?.companies.map(({ label }) => label))
  return (
    <Page title={words.title(name)} lead={words.lead}>
      <CompanyFailure />
      <Stack>
        {data &&
          companies.map((company) => (
            <EnterButton key={company.name} company={company} isConnected={connected.has(company.label)} />
          ))}
        {data && connected.size === 0 && <Text size="sm">{words.connectFirst}</Text>}
        <OtherWays viewer={viewer} />
      </Stack>
    </Page>
  )
}

interface EnterButtonProps {
  readonly company: Company
  readonly isConnected: boolean
}

/** Leaves for the provider, which leads back to this page. */
function EnterButton({ company: { name: provider, label }, isConnected }: EnterButtonProps) {
  const next = useLocation({ select: ({ pathname }) => pathname })
  const start = useMutation({
    mutationFn: () =>
      isConnected
        ? startCompanySignIn({ provider, next })
        : confirming(() => startCompanySignIn({ provider, next, purpose: 'add' })),
  })
  return (
    <>
      <BusyButton
        variant={isConnected ? 'filled' : 'default'}
        isBusy={start.isPending || start.isSuccess}
        onClick={() => start.mutate()}
      >
        {isConnected ? signInLabels.signIn.company(label) : words.connect(label)}
      </BusyButton>
      <ErrorNotice error={start.error} />
    </>
  )
}
