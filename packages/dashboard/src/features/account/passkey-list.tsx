import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../ui/loading.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { passkeysQuery } from './passkeys-client.ts'
import { PasskeyItem } from './passkey-item.tsx'

interface PasskeyListProps {
  readonly userId: string
}

export function PasskeyList({ userId }: PasskeyListProps) {
  const { data, error } = useQuery(passkeysQuery(userId))
  if (!data) return error ? <ProblemNotice error={error} /> : <Loading />
  if (data.length === 0) return null
  return (
    <Stack component="ul" className="plain-list" gap="sm">
      {data.map((passkey) => (
        <PasskeyItem key={passkey.id} passkey={passkey} userId={userId} />
      ))}
    </Stack>
  )
}
