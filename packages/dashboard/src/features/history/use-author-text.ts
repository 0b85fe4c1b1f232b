import type { Change } from '../variables/change.ts'
import { usePersonName } from '../members/use-person-name.ts'

type Author = Pick<Change, 'writtenBy' | 'client'>

/** A token is no person; what it is called is in the client's name. */
export function isToken({ writtenBy }: Author): boolean {
  return writtenBy.startsWith('tok_')
}

/** Who made a change, such as "Ada". */
export function useAuthorName(): (change: Author) => string {
  const personName = usePersonName()
  return (change) => (isToken(change) && change.client) || personName(change.writtenBy)
}

/** Who made a change, and with what: such as "Ada · cli session laptop". */
export function useAuthorText(): (change: Author) => string {
  const authorName = useAuthorName()
  return (change) => {
    const { client } = change
    return client === undefined || isToken(change) ? authorName(change) : `${authorName(change)} · ${client}`
  }
}
