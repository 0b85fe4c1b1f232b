import { NativeSelect } from '@mantine/core'
import type { Organization } from '../../session/viewer.ts'

interface BoundOrganizationProps {
  readonly organizations: readonly Organization[]
  /** Slug of the chosen one; undefined: none yet. */
  readonly value: string | undefined
  readonly onChange: (orgSlug: string) => void
}

/** The organization that an approval binds the client to. Where there are several, none is taken for granted. */
export function BoundOrganization({ organizations, value, onChange }: BoundOrganizationProps) {
  if (organizations.length < 2) return <strong>{organizations[0]?.name}</strong>
  return (
    <NativeSelect
      aria-label="Organization"
      value={value ?? ''}
      data={[
        { value: '', label: 'Choose an organization', disabled: true },
        ...organizations.map(({ slug, name }) => ({ value: slug, label: name })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
