/** Which ends of their changes a person has seen, by the ids of the changes, in this browser. */
import type { ListedChange } from '@rollkey/sdk/core'
import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useEffectEvent } from 'react'
import { useScope } from '../../session/scope.ts'

/** More than a person's changes of a week. */
const maxSeen = 200

/** Returns the ids of the changes whose end the person has seen, and what adds one. */
export function useSeenEnds(): readonly [readonly string[], (id: string) => void] {
  const { orgSlug, userId = '' } = useScope()
  const [seen, setSeen] = useLocalStorage<readonly string[]>({
    key: `rollkey-seen-ends:${orgSlug}:${userId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  })
  const add = (id: string): void => setSeen((all) => [id, ...all.filter((each) => each !== id)].slice(0, maxSeen))
  return [seen, add]
}

/** Notes that the person sees the end of a change. */
export function useNoteEnd(change: Pick<ListedChange, 'id' | 'settledAtMs'> | undefined): void {
  const [seen, add] = useSeenEnds()
  const note = useEffectEvent((id: string) => {
    if (!seen.includes(id)) add(id)
  })
  const ended = change?.settledAtMs === undefined ? undefined : change.id
  useEffect(() => {
    if (ended !== undefined) note(ended)
  }, [ended])
}
