import { Drawer } from '@mantine/core'
import type { Place } from '../variables/queries.ts'
import { RestoreForm } from './restore-form.tsx'

interface RestoreDrawerProps {
  readonly place: Place
  /** The variable or stage, as people see it. */
  readonly what: string
  /** Undefined: the whole stage. */
  readonly name: string | undefined
  /** Undefined: it is closed. */
  readonly revision: number | undefined
  readonly onClose: () => void
}

export function RestoreDrawer({ place, what, name, revision, onClose }: RestoreDrawerProps) {
  return (
    <Drawer opened={revision !== undefined} onClose={onClose} title={`Restore ${what} as at revision ${revision}`}>
      {revision !== undefined && <RestoreForm place={place} what={what} past={{ revision, name }} onClose={onClose} />}
    </Drawer>
  )
}
