import { NativeSelect } from '@mantine/core'
import type { EmbeddedViewer } from '../../identity/viewer.ts'
import { explain } from '../../service/explain.ts'

interface BoundOrganizationProps {
  readonly viewer: EmbeddedViewer
  /** Makes another organization the active one. */
  readonly activate: {
    mutate(organizationId: string): void
    readonly variables: string | undefined
    readonly isPending: boolean
    readonly error: Error | null
  }
}

/** The organization that an approval binds the client to: the active one, which may be changed. */
export function BoundOrganization({ viewer: { organization, organizations }, activate }: BoundOrganizationProps) {
  if (organizations.length < 2) return <strong>{organization?.name}</strong>
  return (
    <NativeSelect
      aria-label="Organization"
      value={activate.isPending ? activate.variables : organization?.id}
      error={activate.error && explain(activate.error)}
      data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(event) => activate.mutate(event.currentTarget.value)}
    />
  )
}
