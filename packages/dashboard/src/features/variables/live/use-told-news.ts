import { useTimeout } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { historyPage } from '../../history/queries.ts'
import { newsSentence } from './change-notices.ts'
import type { News } from './project-stream.ts'
import type { Project } from '../../projects/queries.ts'
import { useAuthorName } from '../../history/use-author-text.ts'
import { useScope } from '../../../session/use-scope.ts'

const shownMs = 10_000
/** Changes; of more the latest. */
const mostTold = { name: undefined, before: undefined, limit: 100 }

/** What others changed, in words that go after a while; what cannot be told is still to be seen. */
export function useToldNews({ projectSlug, stages }: Project) {
  const scope = useScope()
  const authorName = useAuthorName()
  const [text, setText] = useState('')
  const { start, clear } = useTimeout(() => setText(''), shownMs)
  const sentenceOf = async (stageSlug: string, revision: number): Promise<string[]> => {
    const changes = await historyPage(scope, { projectSlug, stageSlug }, mostTold)
    const others = changes.filter((change) => change.revision >= revision && change.writtenBy !== scope.userId)
    const name = stages.find((stage) => stage.stageSlug === stageSlug)?.name ?? stageSlug
    return others.length > 0 ? [newsSentence(others, name, authorName, Date.now())] : []
  }
  const { mutate: tell } = useMutation({
    mutationFn: async (news: readonly News[]) => {
      const byStage = [...Map.groupBy(news, ({ stageSlug }) => stageSlug)]
      return Promise.all(byStage.map(([stageSlug, [first]]) => sentenceOf(stageSlug, first?.revision ?? 0)))
    },
    onSuccess: (told) => {
      const sentences = told.flat()
      if (sentences.length === 0) return
      setText(sentences.join(' '))
      clear()
      start()
    },
  })
  return { text, tell }
}
