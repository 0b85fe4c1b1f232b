/** What was, made present again. The service does it, so no value comes here. */
import { limits } from '@rollkey/contract/rules'
import { queryOptions } from '@tanstack/react-query'
import { changesSince } from './changes-since.ts'
import { effectsOf, type Effect } from './effects.ts'
import { historyPage } from './queries.ts'
import { saveAsPreviewed } from '../variables/previewed.ts'
import { savedBy, type Saved } from '../variables/save.ts'
import { ask, type Scope } from '../../session/scope.ts'
import type { Place } from '../variables/queries.ts'

/** What to go back to: a revision, of the whole stage or of one variable. */
export interface Past {
  readonly revision: number
  readonly name: string | undefined
}

export interface RestorePreview {
  /** Of the stage as it is now. */
  readonly revision: number
  /** Undefined: too much was changed since then. */
  readonly effects: readonly Effect[] | undefined
  /** How many variables stay as they are. */
  readonly unchanged: number
}

export const restorePreviewQuery = (scope: Scope, place: Place, past: Past) =>
  queryOptions({
    queryKey: ['restore', scope.orgSlug, place.projectSlug, place.stageSlug, past.name, past.revision],
    queryFn: async (): Promise<RestorePreview> => {
      // Before the history, so that this holds all that led to them.
      const { variables, revision } = await ask(scope, 'digests', place)
      const later = await changesSince(past.revision, (before) =>
        historyPage(scope, place, { name: past.name, before, limit: limits.historyChanges }),
      )
      const present = variables.filter(({ name }) => past.name === undefined || name === past.name)
      const effects = later && effectsOf(present, later)
      const touched = new Set(effects?.map(({ name }) => name))
      return { revision, effects, unchanged: present.filter(({ name }) => !touched.has(name)).length }
    },
  })

/** All or nothing, as a new revision, and only while the stage is as the preview showed it. */
export async function restoreVariables(scope: Scope, place: Place, past: Past, seen: number): Promise<Saved> {
  const { revision, name } = past
  const names = name === undefined ? undefined : [name]
  const request = { ...place, revision, names, ifRevision: seen }
  return savedBy(place, await saveAsPreviewed(() => ask(scope, 'restore', request)))
}
