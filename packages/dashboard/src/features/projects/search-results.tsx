import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../ui/loading.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { useScope } from '../../session/use-scope.ts'
import type { Project } from './queries.ts'
import { foundIn } from './found.ts'
import { searchQuery } from './search.ts'
import { FoundRow } from './found-row.tsx'

interface SearchResultsProps {
  readonly projects: readonly Project[]
  /** Of the names that are looked for. */
  readonly part: string
}

export function SearchResults({ projects, part }: SearchResultsProps) {
  const { data, error } = useQuery(searchQuery(useScope(), part))
  const found = data && foundIn(data.variables)
  return (
    <>
      <ProblemNotice error={error} />
      {!found && !error && <Loading />}
      <Text role="status" c="dimmed">
        {found && sentenceOf(found.length, data.more)}
      </Text>
      {found && found.length > 0 && (
        <RecordTable label="Found variables" columns={['Variable', 'Project', 'Stages', 'Kind']}>
          {found.map((each) => (
            <FoundRow
              key={JSON.stringify(each)}
              found={each}
              project={projects.find(({ projectSlug }) => projectSlug === each.projectSlug)}
            />
          ))}
        </RecordTable>
      )}
    </>
  )
}

function sentenceOf(count: number, hasMore: boolean): string {
  if (hasMore) return `There are more than these ${count}. Enter more of the name.`
  if (count === 0) return 'No variable has this in its name. The archive is not searched.'
  return count === 1 ? '1 variable' : `${count} variables`
}
