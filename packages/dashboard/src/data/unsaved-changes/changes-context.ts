import { createContext, use } from 'react'
import type { Conflict, PendingChange } from './change-set.ts'

/** The project whose changes are in review. */
interface Reviewed {
  readonly projectSlug: string
  /** Its changes before the action that asks for the review, which a cancellation brings back. Absent: they stay. */
  readonly before?: readonly PendingChange[]
}

/** The unsaved changes of an organization. */
export interface UnsavedChanges {
  /** By the slugs of projects. */
  readonly byProject: ReadonlyMap<string, readonly PendingChange[]>
  readonly update: (projectSlug: string, next: (pending: readonly PendingChange[]) => readonly PendingChange[]) => void
  readonly reviewed: Reviewed | undefined
  readonly setReviewed: (reviewed: Reviewed | undefined) => void
}

/** Returns whether unsaved changes are still there on a page: those of the organization. */
export function keepsChanges(orgSlug: string, pathname: string): boolean {
  return `${pathname}/`.startsWith(`/o/${orgSlug}/`)
}

export const UnsavedContext = createContext<UnsavedChanges | undefined>(undefined)

export function useUnsavedChanges(): UnsavedChanges {
  const unsaved = use(UnsavedContext)
  if (!unsaved) throw new Error('useUnsavedChanges was called outside the pages of an organization.')
  return unsaved
}

/** The unsaved changes of one project, and their actions. */
export interface Changes {
  readonly pending: readonly PendingChange[]
  readonly add: (changes: readonly PendingChange[]) => void
  readonly remove: (changes: readonly PendingChange[]) => void
  /** Makes the changes replace those of others. */
  readonly accept: (conflict: Conflict) => void
  /** Opens the review. `before`: the changes that are back if the person cancels it; absent: they stay as they are then. */
  readonly review: (before?: readonly PendingChange[]) => void
}

export const ChangesContext = createContext<Changes | undefined>(undefined)

export function useChanges(): Changes {
  const changes = use(ChangesContext)
  if (!changes) throw new Error('useChanges was called outside the pages of a project.')
  return changes
}
