import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { projectSearch } from '../project-search.ts'

/** What the drawer shows: a variable in a stage, or a new one. */
export interface Target {
  readonly stageSlug: string
  readonly name?: string
}

/** The variable that the address of a project's page names, and the ways to change that. */
export function useOpenVariable() {
  const { variable: name, stage: stageSlug } = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/' })
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/' })
  const open = useCallback(
    ({ stageSlug: stage, name: variable }: Target, { replace = false } = {}) =>
      void navigate({
        replace,
        search: (search) => projectSearch({ ...search, stage, variable }),
        resetScroll: false,
      }),
    [navigate],
  )
  /** Leaves unsaved input without a question: what calls it has asked, or has saved. */
  const close = useCallback(
    () =>
      void navigate({
        search: (search) => projectSearch({ ...search, variable: undefined, stage: undefined }),
        replace: true,
        resetScroll: false,
        ignoreBlocker: true,
      }),
    [navigate],
  )
  const target: Target | undefined =
    stageSlug === undefined ? undefined : { stageSlug, ...(name !== undefined && { name }) }
  return { target, open, close }
}
