import { useSuspenseQuery } from '@tanstack/react-query'
import { scopeQuery, type Scope } from '../variables/scope.ts'
import { useViewer } from './viewer-context.ts'

/** The organization that the viewer acts in, for requests. */
export function useScope(): Scope {
  return useSuspenseQuery(scopeQuery(useViewer())).data
}
