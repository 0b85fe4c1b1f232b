import { Facts } from '../../components/facts.tsx'
import type { OrganizationSettings } from '../../organization/settings.ts'

interface PlanFactsProps {
  readonly plan: OrganizationSettings['plan']
}

const names: Readonly<Record<OrganizationSettings['plan']['name'], string>> = { unlimited: 'Unlimited', free: 'Free' }

/** Megabytes of a million bytes, as the limits are given. */
const bytesOfMegabyte = 1_000_000

export function PlanFacts({ plan: { name, evaluationsPerMonth, storageBytes } }: PlanFactsProps) {
  const storage =
    storageBytes === undefined ? 'as much as you like' : `${(storageBytes / bytesOfMegabyte).toLocaleString('en')} MB`
  return (
    <Facts
      facts={{
        Name: names[name],
        'Evaluations a month': evaluationsPerMonth?.toLocaleString('en') ?? 'as many as you like',
        'Storage of all values': storage,
      }}
    />
  )
}
