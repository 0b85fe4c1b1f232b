import { Text } from '@mantine/core'
import { Section } from '../../ui/section.tsx'
import type { Place } from '../variables/queries.ts'
import { ChanceForm } from '../variables/editor/chance-form.tsx'

interface ChanceSectionProps {
  readonly place: Place
  readonly name: string
  readonly chance: number
  readonly revision: number
}

export function ChanceSection(props: ChanceSectionProps) {
  return (
    <Section title="Chance">
      <ChanceForm {...props} />
      <Text size="sm" c="dimmed">
        Go up step by step: with a seed or key, whoever got A keeps it, and some of those with B join them. Evaluations
        without both draw anew each time.
      </Text>
    </Section>
  )
}
