import { useDocumentVisibility, useTimeout } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { seenOf } from './change-notices.ts'
import { ProjectStream, type News } from './project-stream.ts'
import { projectsQuery, type Project } from '../../projects/queries.ts'
import { isOfStage } from '../queries.ts'
import { useScope } from '../../../session/use-scope.ts'

/** A stream that is opened anew with each token is away for less. */
const awayAfterMs = 4_000

interface Live {
  /** Whether changes of others cannot be seen at the moment. */
  readonly isAway: boolean
  /** Why they will not be seen any more, or null. */
  readonly problem: unknown
}

/**
 * Asks anew what somebody changed, in whatever the page shows of the project. `project`: as it was read before anything
 * about its stages was. What there is to know while the page is hidden waits until it is shown.
 */
export function useLive(project: Project, onNews: (news: readonly News[]) => void): Live {
  const scope = useScope()
  const { projectSlug } = project
  const queryClient = useQueryClient()
  const [stream] = useState(() => new ProjectStream(scope, projectSlug, seenOf(project)))
  const [isAway, setAway] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const isVisible = useDocumentVisibility() === 'visible'
  const { start, clear } = useTimeout(() => setAway(true), awayAfterMs)
  const onConnected = useEffectEvent((isConnected: boolean) => {
    if (!isConnected) return start()
    clear()
    setAway(false)
    setProblem(null)
  })
  const refresh = useEffectEvent((news: readonly News[]) => {
    void queryClient.invalidateQueries(projectsQuery(scope))
    for (const stageSlug of new Set(news.map((each) => each.stageSlug))) {
      void queryClient.invalidateQueries({ predicate: isOfStage(scope, { projectSlug, stageSlug }) })
    }
    onNews(news)
  })
  const giveUp = useEffectEvent((error: unknown) => {
    setProblem(error)
    // Who may not see the stream may not see the page; its own requests lead on.
    void queryClient.invalidateQueries()
  })
  useEffect(() => {
    if (!isVisible) return
    const abort = new AbortController()
    stream.follow({ onNews: refresh, onConnected }, abort.signal).catch(giveUp)
    return () => {
      abort.abort()
      clear()
    }
  }, [stream, isVisible, clear])
  return { isAway, problem }
}
