import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { pastTime } from '../../../lib/time.ts'
import { Notice } from '../../../ui/notice.tsx'
import { useAuthorName } from '../../history/use-author-text.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useScope } from '../../../session/use-scope.ts'
import { changesQuery, type Place } from '../queries.ts'
import { changeWords } from '../labels.ts'

interface ChangedNoticeProps {
  readonly place: Place
  readonly name: string
  /** What would be saved, and what it takes into account. */
  readonly save: { readonly seen: number; readonly isPending: boolean }
  /** What that means here. */
  readonly children: ReactNode
}

/** Tells who is about to save that somebody else was faster. */
export function ChangedNotice({ place, name, save, children }: ChangedNoticeProps) {
  const { data } = useQuery(changesQuery(useScope(), place, name))
  const authorName = useAuthorName()
  const nowMs = useNow()
  const newest = data?.[0]
  return (
    <div role="status">
      {newest && newest.revision > save.seen && !save.isPending && (
        <Notice kind="warning">
          {authorName(newest)} {changeWords[newest.change].toLowerCase()} this variable{' '}
          {pastTime(newest.writtenAtMs, nowMs)}. {children}
        </Notice>
      )}
    </div>
  )
}
