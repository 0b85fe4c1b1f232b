import { Badge, Button, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { TimeText } from '../../components/time-text.tsx'
import { useAuthorText } from '../../hooks/use-author-text.ts'
import type { Revision } from '../../variables/revisions.ts'
import type { Place } from '../../variables/stage.ts'
import { ChangeItem } from './change-item.tsx'
import classes from './history.module.css'

/** So many changes are shown before one asks for all. */
const shownAtFirst = 8

interface RevisionItemProps {
  readonly revision: Revision
  readonly place: Place
  /** Whether it is how things are now. */
  readonly isPresent: boolean
  readonly showsDigests: boolean
  /** Undefined: nothing may be restored. */
  readonly onRestore: (() => void) | undefined
}

/** What one revision did, by whom, when and with what. */
export function RevisionItem({ revision, place, isPresent, showsDigests, onRestore }: RevisionItemProps) {
  const authorText = useAuthorText()
  const [showsAll, setShowsAll] = useState(false)
  const { changes, writtenAtMs } = revision
  const shown = showsAll ? changes : changes.slice(0, shownAtFirst)
  return (
    <li className={classes['revision']}>
      <div>
        <Group gap="xs">
          <Title order={2} size="h5">
            Revision {revision.revision}
          </Title>
          {isPresent && <Badge>Now</Badge>}
        </Group>
        <Text size="sm" className="wrapping">
          {authorText(revision)}
        </Text>
        <Text size="sm" c="dimmed">
          <TimeText ms={writtenAtMs} />
        </Text>
      </div>
      <ul className={`plain-list ${classes['changes']}`}>
        {shown.map((told) => (
          <ChangeItem key={told.change.name} told={told} place={place} showsDigests={showsDigests} />
        ))}
        {shown.length < changes.length && (
          <li>
            <Button size="compact-sm" variant="subtle" onClick={() => setShowsAll(true)}>
              Show all {changes.length}
            </Button>
          </li>
        )}
      </ul>
      {onRestore && !isPresent && (
        <Button
          size="sm"
          variant="default"
          aria-label={`Restore as at revision ${revision.revision}`}
          onClick={onRestore}
        >
          Restore
        </Button>
      )}
    </li>
  )
}
