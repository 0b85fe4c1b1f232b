import { Drawer, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { ShowOlder } from '../../ui/show-older.tsx'
import { useScope } from '../../session/use-scope.ts'
import type { Stage } from '../projects/queries.ts'
import type { Place } from '../variables/queries.ts'
import { historyQuery } from './queries.ts'
import { revisionsOf } from './revisions.ts'
import { RevisionItem } from './revision-item.tsx'
import { RestoreForm } from './restore-form.tsx'

interface StageHistoryProps {
  readonly place: Place
  readonly stage: Stage
  readonly isReadOnly: boolean
  /** Of the only variable that is shown. */
  readonly name: string | undefined
  readonly showsDigests: boolean
}

export function StageHistory({ place, stage, isReadOnly, name, showsDigests }: StageHistoryProps) {
  const history = useInfiniteQuery(historyQuery(useScope(), place, name))
  const { data, error } = history
  const revisions = useMemo(() => data && revisionsOf(data.pages.flat()), [data])
  const [chosen, setChosen] = useState<number | undefined>()
  const what = name ?? stage.name
  return (
    <Stack>
      <ErrorNotice error={error} />
      {!revisions && !error && <Loading />}
      {revisions?.length === 0 && <Text>{name === undefined ? nothingYet : nothingOfName(name, stage.name)}</Text>}
      {revisions && revisions.length > 0 && (
        <Text>
          {isReadOnly
            ? 'What is in the archive can be looked at, and not restored.'
            : `Restore brings ${what} back to what it was right after a revision. That makes a new one, so nothing is lost.`}
        </Text>
      )}
      <Stack component="ol" className="plain-list" gap={0} aria-label={`Changes of ${what}`}>
        {revisions?.map((revision, index) => (
          <RevisionItem
            key={revision.revision}
            revision={revision}
            place={place}
            isPresent={index === 0}
            showsDigests={showsDigests}
            onRestore={isReadOnly ? undefined : () => setChosen(revision.revision)}
          />
        ))}
      </Stack>
      <ShowOlder list={history} />
      <RestoreDrawer place={place} what={what} name={name} revision={chosen} onClose={() => setChosen(undefined)} />
    </Stack>
  )
}

const nothingYet = 'Nothing was changed here yet. What you change is told here, with who did it and when.'

function nothingOfName(name: string, stage: string): string {
  return `No change of ${name} in ${stage} is known. Check the name; upper and lower case count.`
}

interface RestoreDrawerProps {
  readonly place: Place
  /** The variable or stage, as people see it. */
  readonly what: string
  /** Undefined: the whole stage. */
  readonly name: string | undefined
  /** Undefined: it is closed. */
  readonly revision: number | undefined
  readonly onClose: () => void
}

function RestoreDrawer({ place, what, name, revision, onClose }: RestoreDrawerProps) {
  return (
    <Drawer opened={revision !== undefined} onClose={onClose} title={`Restore ${what} as at revision ${revision}`}>
      {revision !== undefined && <RestoreForm place={place} what={what} past={{ revision, name }} onClose={onClose} />}
    </Drawer>
  )
}
