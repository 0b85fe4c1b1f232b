import { Switch } from '@mantine/core'
import type { Stage } from '../../projects/queries.ts'
import { DeleteSelected } from './delete-selected.tsx'
import type { Selected } from './variables-grid.tsx'

interface SelectionToolsProps {
  readonly projectSlug: string
  readonly stages: readonly Stage[]
  readonly selected: Selected
  readonly onSelect: (selected: Selected) => void
}

/** The way to do something with many variables. */
export function SelectionTools({ projectSlug, stages, selected, onSelect }: SelectionToolsProps) {
  return (
    <>
      <Switch
        label="Select"
        checked={selected !== undefined}
        onChange={(event) => onSelect(event.currentTarget.checked ? new Set() : undefined)}
      />
      {selected && (
        <DeleteSelected
          projectSlug={projectSlug}
          stages={stages}
          selected={selected}
          onDone={() => onSelect(undefined)}
        />
      )}
    </>
  )
}
