import { Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import {
  type Company,
  type ConnectedCompany,
  disconnectCompany,
  methodsQuery,
  startCompanySignIn,
} from '../../session/company.ts'
import { confirming } from '../../session/confirmation.ts'
import { useSettings } from '../../session/settings.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'
import { labels } from './labels.ts'

interface CompaniesProps {
  readonly userId: string
}

/** The companies' providers at which the person can sign in, and those that can be connected. */
export function Companies({ userId }: CompaniesProps) {
  const settings = useSettings()
  const { data, error } = useQuery(methodsQuery(userId))
  if (!data) return error ? <LoadError error={error} /> : <RowsSkeleton rows={2} />
  const companies = settings.provider === 'embedded' ? settings.companies : []
  const connected = new Set(data.companies.map(({ label }) => label))
  return (
    <Stack>
      {data.companies.map((company) => (
        <ConnectedItem key={company.id} company={company} userId={userId} />
      ))}
      {companies
        .filter(({ label }) => !connected.has(label))
        .map((company) => (
          <LeaveButton
            key={company.name}
            company={company}
            purpose="add"
            label={labels.companies.connect(company.label)}
          />
        ))}
    </Stack>
  )
}

interface ConnectedItemProps extends CompaniesProps {
  readonly company: ConnectedCompany
}

function ConnectedItem({ company: { id, label }, userId }: ConnectedItemProps) {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => confirming(() => disconnectCompany(id)),
    onSuccess: async () => {
      await queryClient.invalidateQueries(methodsQuery(userId))
      toast.success(labels.companies.disconnected(label))
    },
  })
  return (
    <>
      <Group justify="space-between" wrap="nowrap">
        <Text fw={600}>{label}</Text>
        <BusyButton
          size="sm"
          variant="default"
          flex="none"
          aria-label={labels.companies.disconnectFrom(label)}
          isBusy={remove.isPending}
          onClick={() => remove.mutate()}
        >
          {labels.companies.disconnect}
        </BusyButton>
      </Group>
      <ErrorNotice error={remove.error} />
    </>
  )
}

interface LeaveButtonProps {
  readonly company: Company
  readonly purpose: 'add' | 'confirm'
  readonly label: string
}

/** Leaves for the provider, which leads back to this page. */
function LeaveButton({ company, purpose, label }: LeaveButtonProps) {
  const next = useLocation({ select: ({ pathname }) => pathname })
  const start = useMutation({
    mutationFn: () => {
      const leave = (): Promise<void> => startCompanySignIn({ provider: company.name, next, purpose })
      return purpose === 'add' ? confirming(leave) : leave()
    },
  })
  return (
    <>
      <Group>
        <BusyButton variant="default" isBusy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
          {label}
        </BusyButton>
      </Group>
      <ErrorNotice error={start.error} />
    </>
  )
}

/** Returns whether the person has a password; undefined while that is not known. */
export function useHasPassword(userId: string): boolean | undefined {
  const settings = useSettings()
  const hasCompanies = settings.provider === 'embedded' && settings.companies.length > 0
  const { data, isPending } = useQuery({ ...methodsQuery(userId), enabled: hasCompanies })
  if (hasCompanies && isPending) return undefined
  return data?.hasPassword ?? true
}

interface ConfirmAtCompaniesProps {
  readonly userId: string
}

/** Lets a person confirm at the providers that are connected. They return to the page and repeat what they did. */
export function ConfirmAtCompanies({ userId }: ConfirmAtCompaniesProps) {
  const settings = useSettings()
  const companies = settings.provider === 'embedded' ? settings.companies : []
  const { data } = useQuery({ ...methodsQuery(userId), enabled: companies.length > 0 })
  const connected = new Set(data?.companies.map(({ label }) => label))
  return companies
    .filter(({ label }) => connected.has(label))
    .map((company) => (
      <LeaveButton
        key={company.name}
        company={company}
        purpose="confirm"
        label={labels.companies.confirm(company.label)}
      />
    ))
}
