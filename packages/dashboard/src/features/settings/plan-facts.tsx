import { bytesText, countText } from '../../lib/numbers.ts'
import { Facts } from '../../ui/description-list.tsx'
import type { OrganizationSettings } from './queries.ts'

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
        'Evaluations a month': evaluationsPerMonth === undefined ? unlimited : countText(evaluationsPerMonth),
        'Storage of all values': storageBytes === undefined ? unlimited : bytesText(storageBytes),
      }}
    />
  )
}
