import { Divider, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { companyStatusQuery, startCompanySignIn, type Company } from '../../session/company.ts'
import { useLinkParameters } from '../../session/return-path.ts'
import { useSettings } from '../../session/settings.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'

const failures: Readonly<Record<string, string>> = {
  unavailable: labels.company.unavailable,
  denied: labels.company.denied,
  lost: labels.company.lost,
  'not-admitted': labels.company.notAdmitted,
  'no-address': labels.company.noAddress,
  'account-exists': labels.company.accountExists,
  'in-use': labels.company.inUse,
  'other-person': labels.company.otherPerson,
  'not-asked': labels.company.notAsked,
  trouble: labels.company.trouble,
}

/** What a person who did sign in must know. */
const notes: Readonly<Record<string, (label: string) => { readonly title: string; readonly text: string }>> = {
  left: labels.company.left,
  full: labels.company.full,
  'first-passkey': labels.company.firstPasskey,
}

function useCompanies(): readonly Company[] {
  const settings = useSettings()
  return settings.provider === 'embedded' ? settings.companies : []
}

/** Shows why the sign-in from which the browser comes back did not finish. */
export function CompanyFailure() {
  const companies = useCompanies()
  const { failure, method } = useLinkParameters('failure', 'method')
  const company = companies.find(({ name }) => name === method)
  if (failure === undefined || !company) return null
  return (
    <Notice kind="error" title={labels.company.title(company.label)}>
      {failures[failure] ?? labels.company.refused}
    </Notice>
  )
}

/** Shows what a person who comes back from a provider must know, although the sign-in finished. */
export function CompanyNote() {
  const companies = useCompanies()
  const { note, method } = useLinkParameters('note', 'method')
  const company = companies.find(({ name }) => name === method)
  const content = company && notes[note ?? '']?.(company.label)
  if (!content) return null
  return (
    <Notice kind="warning" title={content.title}>
      {content.text}
    </Notice>
  )
}

interface CompanySignInProps {
  /** Path to open afterwards. */
  readonly next: string
  /** The invitation that admits a person without an account. */
  readonly invitation?: string
}

/** Buttons of the companies' providers, above the other ways to sign in. */
export function CompanySignIn({ next, invitation }: CompanySignInProps) {
  const companies = useCompanies()
  const { data: unreachable = [] } = useQuery({ ...companyStatusQuery, enabled: companies.length > 0 })
  if (companies.length === 0) return null
  return (
    <Stack>
      {companies.map((company) => (
        <CompanyButton
          key={company.name}
          company={company}
          isDown={unreachable.includes(company.name)}
          next={next}
          invitation={invitation}
        />
      ))}
      <Divider label={labels.signIn.or} />
    </Stack>
  )
}

interface CompanyButtonProps {
  readonly company: Company
  readonly isDown: boolean
  readonly next: string
  readonly invitation: string | undefined
}

function CompanyButton({ company: { name, label }, isDown, next, invitation }: CompanyButtonProps) {
  const start = useMutation({
    mutationFn: () => startCompanySignIn({ provider: name, next, ...(invitation !== undefined && { invitation }) }),
  })
  return (
    <>
      <BusyButton variant="default" isBusy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
        {labels.signIn.company(label)}
      </BusyButton>
      {isDown && !start.error && (
        <Text size="sm" role="status">
          {labels.signIn.companyDown(label)}
        </Text>
      )}
      <ErrorNotice error={start.error} />
    </>
  )
}
