import { createContext, use } from 'react'
import type { Scope } from './scope.ts'

export const ScopeContext = createContext<Scope | undefined>(undefined)

/** The organization that the page's address names, for requests. */
export function useScope(): Scope {
  const scope = use(ScopeContext)
  if (!scope) throw new Error('A page of an organization is shown outside its routes.')
  return scope
}
