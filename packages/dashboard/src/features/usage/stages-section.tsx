import { Text } from '@mantine/core'
import { bytesText, countText, shareText } from '../../lib/numbers.ts'
import { FiguresTable } from '../../ui/figures-table.tsx'
import { Section } from '../../ui/section.tsx'
import { usageByStage, type StageUsage, type Usage } from './usage.ts'

interface StagesSectionProps {
  readonly usage: Usage
  readonly nameOf: (place: StageUsage['place']) => string
}

export function StagesSection({ usage, nameOf }: StagesSectionProps) {
  const stages = usageByStage(usage)
  const { storageBytes } = usage.plan
  const rows = stages.map(({ place, evaluations, bytes }) => {
    const stored = bytesText(bytes)
    const share = storageBytes === undefined ? stored : `${stored} (${shareText(bytes, storageBytes)})`
    return [nameOf(place), countText(evaluations), share]
  })
  return (
    <Section title="By project and stage">
      {stages.length === 0 ? (
        <Text>There is nothing yet. Each stage that is evaluated or stores something will have a line here.</Text>
      ) : (
        <FiguresTable
          label="Usage by project and stage"
          columns={[
            'Stage',
            'Evaluations this month',
            storageBytes === undefined ? 'Stored' : `Stored, of ${bytesText(storageBytes)}`,
          ]}
          rows={rows}
        />
      )}
      {stages.some(({ place }) => !place) && (
        <Text size="sm" c="dimmed">
          Pulls of stages that do not exist count, too, and give nothing. Compare the project and stage that your
          applications ask for with the names here.
        </Text>
      )}
    </Section>
  )
}
