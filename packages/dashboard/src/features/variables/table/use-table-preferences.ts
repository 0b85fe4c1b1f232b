/** How a person looks at the table of a project. The browser keeps it: slugs and settings, nothing about variables. */
import { useLocalStorage } from '@mantine/hooks'
import { useScope } from '../../../session/use-scope.ts'

type Density = 'compact' | 'comfortable'
export const optionalColumns = ['type', 'description', 'lastChange'] as const
export type OptionalColumn = (typeof optionalColumns)[number]

export interface TablePreferences {
  readonly density: Density
  readonly hiddenColumns: readonly OptionalColumn[]
  /** Slugs. */
  readonly hiddenStages: readonly string[]
}

const initial: TablePreferences = { density: 'compact', hiddenColumns: [], hiddenStages: [] }

/** Returns what was stored, or the initial preferences where it is not readable. */
function parsed(text: string | undefined): TablePreferences {
  try {
    const stored = JSON.parse(text ?? '') as Partial<TablePreferences>
    return {
      density: stored.density === 'comfortable' ? 'comfortable' : 'compact',
      hiddenColumns: optionalColumns.filter((column) => stored.hiddenColumns?.includes(column)),
      hiddenStages: stored.hiddenStages?.filter((slug) => typeof slug === 'string') ?? [],
    }
  } catch {
    return initial
  }
}

export function useTablePreferences(projectSlug: string) {
  const { orgSlug } = useScope()
  return useLocalStorage<TablePreferences>({
    key: `rollkey.table.${orgSlug}/${projectSlug}`,
    defaultValue: initial,
    deserialize: parsed,
    getInitialValueInEffect: false,
  })
}
