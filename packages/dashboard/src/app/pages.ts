/** The pages of an organization that the navigation links to. */
import type { May } from '../lib/may.ts'
import {
  type Icon,
  IconAudit,
  IconEmpty,
  IconOverview,
  IconPeople,
  IconProject,
  IconRoll,
  IconSettings,
  IconUsage,
} from '../ui/icons.ts'
import { labels } from './labels.ts'

interface Entry {
  readonly to: string
  readonly label: string
  readonly icon: Icon
  /** The key that opens the page after `g`. */
  readonly key: string
  /** Whether only those who manage the organization see it. Absent: everyone does. */
  readonly isForManagers?: boolean
}

const { pages: names } = labels

const pages = [
  { to: '/o/$orgSlug', label: names.overview, icon: IconOverview, key: 'o' },
  { to: '/o/$orgSlug/projects', label: names.projects, icon: IconProject, key: 'p' },
  { to: '/o/$orgSlug/rolls', label: names.rolls, icon: IconRoll, key: 'r' },
  { to: '/o/$orgSlug/changes', label: names.changes, icon: IconEmpty, key: 'i' },
  { to: '/o/$orgSlug/usage', label: names.usage, icon: IconUsage, key: 'u' },
  { to: '/o/$orgSlug/audit', label: names.audit, icon: IconAudit, key: 'a', isForManagers: true },
  { to: '/o/$orgSlug/members', label: names.members, icon: IconPeople, key: 'm' },
  { to: '/o/$orgSlug/settings', label: names.settings, icon: IconSettings, key: 's' },
] as const satisfies readonly Entry[]

export type PageEntry = Entry & Pick<(typeof pages)[number], 'to'>

/** Returns the pages that the viewer may open. `may`: undefined while it is unknown. */
export function pagesFor(may: May | undefined): readonly PageEntry[] {
  const entries: readonly PageEntry[] = pages
  return entries.filter(({ isForManagers }) => isForManagers !== true || !may || may('manage'))
}
