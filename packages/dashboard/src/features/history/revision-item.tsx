import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { FocusedPart } from '../../ui/focus-region.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { useAuthorText } from './use-author-text.ts'
import type { Revision } from './revisions.ts'
import type { Place } from '../variables/queries.ts'
import { ChangeItems } from './change-items.tsx'
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
  const shown = { place, showsDigests }
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
      <Stack gap="xs" align="flex-start">
        <ChangeItems changes={changes.slice(0, shownAtFirst)} {...shown} />
        {showsAll && (
          <FocusedPart>
            <ChangeItems changes={changes.slice(shownAtFirst)} {...shown} />
          </FocusedPart>
        )}
        {!showsAll && changes.length > shownAtFirst && (
          <Button size="compact-sm" variant="default" onClick={() => setShowsAll(true)}>
            Show all {changes.length.toLocaleString('en')}
          </Button>
        )}
      </Stack>
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
