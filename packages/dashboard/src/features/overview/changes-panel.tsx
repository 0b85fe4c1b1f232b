import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { useScope } from '../../session/use-scope.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { IconToken } from '../../ui/icons.ts'
import { QueryPart } from '../../ui/query-part.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowItem, RowList } from '../../ui/row-list.tsx'
import { Panel } from '../../ui/section.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { useAuthorName } from '../history/use-author-text.ts'
import { projectsQuery, stageName } from '../projects/queries.ts'
import { changeText, labels } from './labels.ts'
import { type RecentRevision, recentChangesQuery } from './queries.ts'

/** The latest revisions of all stages. */
export function ChangesPanel() {
  const query = useQuery(recentChangesQuery(useScope()))
  return (
    <Panel title={labels.changes.title}>
      <QueryPart query={query} rows={8}>
        {(revisions) =>
          revisions.length === 0 ? (
            <Text c="dimmed">{labels.changes.none}</Text>
          ) : (
            <RowList label={labels.changes.title}>
              {revisions.map((revision) => (
                <ChangeRow
                  key={`${revision.projectSlug}/${revision.stageSlug}/${revision.revision}`}
                  revision={revision}
                />
              ))}
            </RowList>
          )
        }
      </QueryPart>
    </Panel>
  )
}

interface ChangeRowProps {
  readonly revision: RecentRevision
}

function ChangeRow({ revision }: ChangeRowProps) {
  const scope = useScope()
  const authorName = useAuthorName()
  const { data: projects = [] } = useQuery(projectsQuery(scope))
  const { projectSlug, stageSlug, writtenAtMs, writtenBy } = revision
  const author = authorName(revision)
  const { verb, names, rest } = changeText(revision)
  const isMachine = writtenBy.startsWith('tok_')
  return (
    <RowItem
      lead={<Avatar name={author} {...(isMachine && { icon: IconToken })} />}
      detail={stageName(projects, projectSlug, stageSlug)}
      end={<RelativeTime ms={writtenAtMs} />}
    >
      <TextLink
        to="/o/$orgSlug/p/$projectSlug/history"
        params={{ orgSlug: scope.orgSlug, projectSlug }}
        search={{ stage: stageSlug }}
      >
        <strong>{author}</strong> {verb}{' '}
        {names.map((name, at) => (
          <Fragment key={name}>
            {at > 0 && ` ${labels.changes.and} `}
            <code>{name}</code>
          </Fragment>
        ))}{' '}
        {rest}
      </TextLink>
    </RowItem>
  )
}
