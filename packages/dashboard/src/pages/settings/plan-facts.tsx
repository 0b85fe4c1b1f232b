import { Facts } from '../../components/facts.tsx'
import type { OrganizationSettings } from '../../organization/settings.ts'

interface PlanFactsProps {
  readonly plan: OrganizationSettings['plan']
}

const names: Readonly<Record<OrganizationSettings['plan']['name'], string>> = { unlimited: 'Unlimited', free: 'Free' }

const unlimited = 'No limit'

export function PlanFacts({ plan: { name, evaluationsPerMonth, storageBytes } }: PlanFactsProps) {
  return (
    <Facts
      facts={{
        Name: names[name],
        'Evaluations a month': evaluationsPerMonth?.toLocaleString('en') ?? unlimited,
        'Storage of all values': storageBytes === undefined ? unlimited : megabytes(storageBytes),
      }}
    />
  )
}

/** Of a million bytes, as the limits are given. */
function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString('en')} MB`
}
