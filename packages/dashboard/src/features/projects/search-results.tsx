import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { useScope } from '../../session/use-scope.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { kindName, typeNames } from '../variables/labels.ts'
import { type Project, searchQuery } from './queries.ts'
import { type Found, foundIn } from './found.ts'

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
      <ErrorNotice error={error} />
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

interface FoundRowProps {
  readonly found: Found
  /** Undefined: it is too new to be in the list. */
  readonly project: Project | undefined
}

function FoundRow({ found, project }: FoundRowProps) {
  const { projectSlug, name, kind, declaredType, stageSlugs } = found
  const stageNames = stageSlugs.map((slug) => project?.stages.find(({ stageSlug }) => stageSlug === slug)?.name ?? slug)
  return (
    <RecordRow>
      <RecordCell>
        <TextLink from="/o/$orgSlug" to="./p/$projectSlug" params={{ projectSlug }} search={{ search: name }} fw={600}>
          <bdi>{name}</bdi>
        </TextLink>
      </RecordCell>
      <RecordCell label="Project">{project?.name ?? projectSlug}</RecordCell>
      <RecordCell label="Stages">{stageNames.join(', ')}</RecordCell>
      <RecordCell label="Kind">
        {kindName(kind)}
        {declaredType !== undefined && ` · ${typeNames[declaredType]}`}
      </RecordCell>
    </RecordRow>
  )
}
