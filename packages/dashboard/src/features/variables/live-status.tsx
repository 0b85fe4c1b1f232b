import type { ChangeEvent, Project } from '@rollkey/sdk/core'
import { useDocumentVisibility, useTimeout } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { historyPage, useAuthorName } from '../../data/history/queries.ts'
import { forgetAccessTokens, tokensOf } from '../../session/access-token.ts'
import { connect } from '../../service/connection.ts'
import { noteLiveUpdates } from '../../service/reachability.ts'
import { useScope } from '../../session/scope.ts'
import { toast } from '../../ui/toast.tsx'
import { newsSentence, seenOf } from './change-notices.ts'
import { useRefresh } from '../../data/stages.ts'

interface LiveStatusProps {
  readonly project: Project
}

/** Keeps the pages of a project up to date, and tells in a toast what others changed. */
export function LiveStatus({ project }: LiveStatusProps) {
  const isAway = useLive(project, useNews(project))
  useEffect(() => {
    noteLiveUpdates(isAway)
    return () => noteLiveUpdates(false)
  }, [isAway])
  return null
}

/** Maximum number of changes in a notice: the latest ones. */
const latestChanges = { name: undefined, before: undefined, limit: 100 }

/** Returns a function that tells about changes of others. The page shows them in any case. */
function useNews({ projectSlug, stages }: Project) {
  const scope = useScope()
  const authorName = useAuthorName()
  const sentenceOf = async (stageSlug: string, revision: number): Promise<string[]> => {
    const changes = await historyPage(scope, { projectSlug, stageSlug }, latestChanges)
    const others = changes.filter((change) => change.revision >= revision && change.writtenBy !== scope.userId)
    const stageName = stages.find((stage) => stage.stageSlug === stageSlug)?.name ?? stageSlug
    const context = { stageName, nameOf: authorName, nowMs: Date.now(), userId: scope.userId }
    return others.length > 0 ? [newsSentence(others, context)] : []
  }
  const { mutate: announce } = useMutation({
    mutationFn: async (news: readonly ChangeEvent[]) => {
      const byStage = [...Map.groupBy(news, ({ stageSlug }) => stageSlug)]
      return Promise.all(byStage.map(([stageSlug, [first]]) => sentenceOf(stageSlug, first?.revision ?? 0)))
    },
    onSuccess: (byStage) => {
      const sentences = byStage.flat()
      if (sentences.length > 0) toast.news(sentences.join(' '))
    },
  })
  return announce
}

/** How long the stream may be away without a notice. Opening it again with a new token takes less. */
const awayAfterMs = 1_500

/**
 * Refreshes what the page shows of the project when someone changes it. Returns whether changes of others do not arrive at the moment.
 * `project`: as it was read before its stages.
 * A hidden page follows no events and catches up when it is shown.
 */
function useLive(project: Project, onNews: (news: readonly ChangeEvent[]) => void): boolean {
  const scope = useScope()
  const { projectSlug } = project
  const queryClient = useQueryClient()
  const read = useRefresh()
  const [since] = useState(() => seenOf(project))
  const [stream] = useState(() => connect(tokensOf(scope)).events({ orgSlug: scope.orgSlug, projectSlug, since }))
  /** Whether what was read before the stream began may be out of date. */
  const mayBeBehind = useRef(since === undefined)
  const [isAway, setAway] = useState(false)
  const isVisible = useDocumentVisibility() === 'visible'
  const { start, clear } = useTimeout(() => setAway(true), awayAfterMs)
  const onConnected = useEffectEvent((isConnected: boolean) => {
    if (!isConnected) return start()
    clear()
    setAway(false)
  })
  const refreshAll = useEffectEvent(() => {
    mayBeBehind.current = false
    void read({ projectSlug })
  })
  const refresh = useEffectEvent((news: readonly ChangeEvent[]) => {
    if (mayBeBehind.current) refreshAll()
    if (news.length === 0) return
    void read(...[...new Set(news.map((each) => each.stageSlug))].map((stageSlug) => ({ projectSlug, stageSlug })))
    onNews(news)
  })
  const giveUp = useEffectEvent((error: unknown) => {
    toast.error(error)
    // A person without access to the stream has none to the page. Its requests get a new token or redirect.
    forgetAccessTokens()
    void queryClient.invalidateQueries()
  })
  useEffect(() => {
    if (!isVisible) return
    const abort = new AbortController()
    stream.follow({ onEvents: refresh, onReset: refreshAll, onConnected }, abort.signal).catch(giveUp)
    return () => {
      abort.abort()
      clear()
    }
  }, [stream, isVisible, clear])
  return isAway
}
