import type { Change } from '../variables/change.ts'
import { usePersonName } from './use-person-name.ts'

/** Who made a change, and with what: such as "Ada · cli session laptop". */
export function useAuthorText(): (change: Pick<Change, 'writtenBy' | 'client'>) => string {
  const personName = usePersonName()
  return ({ writtenBy, client }) => {
    if (client === undefined) return personName(writtenBy)
    // A token is no person; what it is called is in the client's name.
    return writtenBy.startsWith('tok_') ? client : `${personName(writtenBy)} · ${client}`
  }
}
