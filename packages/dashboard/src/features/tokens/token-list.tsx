import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../ui/loading.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { useScope } from '../../session/use-scope.ts'
import { serviceTokensQuery } from './queries.ts'
import { TokenRow } from './token-row.tsx'

export function TokenList() {
  const { data, error } = useQuery(serviceTokensQuery(useScope()))
  if (!data) return error ? <ProblemNotice error={error} /> : <Loading />
  if (data.length === 0) {
    return (
      <Text c="dimmed">
        There is none yet. An application reads its variables with one: create one for each, with no more reach than it
        needs.
      </Text>
    )
  }
  return (
    <>
      <ProblemNotice error={error} />
      <RecordTable label="Service tokens" columns={['Name', 'Reach', 'Last used', 'Expires', 'Actions']}>
        {data.map((token) => (
          <TokenRow key={token.id} token={token} />
        ))}
      </RecordTable>
    </>
  )
}
