import { useMatches } from '@tanstack/react-router'
import { documentationUrl } from '../../ui/labels.ts'

/** Returns the address of the documentation of the page that is open, which its route names. */
export function useDocsAddress(): string {
  const page = useMatches({
    select: (matches) => matches.findLast(({ staticData: { docs } }) => docs)?.staticData.docs,
  })
  return documentationUrl + (page ?? '')
}
