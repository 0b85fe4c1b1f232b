import { useSearch } from '@tanstack/react-router'
import { credentialsSearch } from './credentials-search.ts'

/** Returns the slug of the project whose credentials the page lists. Undefined: it lists those of all. */
export function useListedProject(): string | undefined {
  return credentialsSearch(useSearch({ strict: false })).project
}
