/** The projects that this browser opened last, by slug. Signing out forgets them. */
import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useEffectEvent } from 'react'

const prefix = 'rollkey-recent-projects:'
const maxProjects = 8

/** Returns the slugs of an organization's projects, the last opened first. */
export function useRecentProjects(orgSlug: string): readonly string[] {
  return useRecent(orgSlug)[0]
}

/** Puts a project first while its pages are open. `projectSlug`: undefined on other pages, and for one that does not exist. */
export function useRecordProject(orgSlug: string, projectSlug: string | undefined): void {
  const [slugs, setSlugs] = useRecent(orgSlug)
  const record = useEffectEvent((opened: string) => {
    // Everything that shows the list would render again.
    if (slugs[0] !== opened) setSlugs([opened, ...slugs.filter((slug) => slug !== opened)].slice(0, maxProjects))
  })
  useEffect(() => {
    if (projectSlug !== undefined) record(projectSlug)
  }, [projectSlug])
}

function useRecent(orgSlug: string) {
  return useLocalStorage<readonly string[]>({
    key: prefix + orgSlug,
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: slugsOf,
  })
}

/** Returns the stored slugs, or none if anything else was stored. */
function slugsOf(stored: string | undefined): readonly string[] {
  try {
    const slugs: unknown = JSON.parse(stored ?? '[]')
    return Array.isArray(slugs) ? slugs.filter((slug) => typeof slug === 'string') : []
  } catch {
    return []
  }
}

export function forgetRecentProjects(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
}
