import { Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId } from 'react'
import { pastTime } from '../../../lib/time.ts'
import { useAuthorText } from '../../history/use-author-text.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useScope } from '../../../session/use-scope.ts'
import { changesQuery, type Place } from '../queries.ts'
import { changeWords } from '../labels.ts'

/** Changes are told as they come; only where they are not, is it asked for again. */
const freshMs = 60_000

interface CellHintProps {
  /** The cell that it is about. */
  readonly element: HTMLElement
  readonly place: Place
  readonly name: string
}

/** Who changed a variable last, and when. */
export function CellHint({ element, place, name }: CellHintProps) {
  const { data } = useQuery({ ...changesQuery(useScope(), place, name), staleTime: freshMs })
  const authorText = useAuthorText()
  const nowMs = useNow()
  const id = useId()
  useEffect(() => {
    element.setAttribute('aria-describedby', id)
    return () => element.removeAttribute('aria-describedby')
  }, [element, id])
  const newest = data?.[0]
  if (!newest) return null
  const when = pastTime(newest.writtenAtMs, nowMs)
  const text = `${changeWords[newest.change]} by ${authorText(newest)}, ${when}`
  return (
    <Tooltip
      target={element}
      opened
      withinPortal={false}
      position="top-start"
      multiline
      maw={320}
      label={<span id={id}>{text}</span>}
    />
  )
}
