import { Badge, Group } from '@mantine/core'
import type { Digested } from '@rollkey/contract'
import type { Stage } from '../../projects/queries.ts'
import { kindName, typeNames } from '../labels.ts'

interface VariableFactsProps {
  readonly variable: Digested
  readonly stage: Stage
}

export function VariableFacts({ variable: { kind, declaredType }, stage }: VariableFactsProps) {
  return (
    <Group gap="xs">
      <Badge>{stage.name}</Badge>
      <Badge color="gray">{kindName(kind)}</Badge>
      <Badge color="gray">{declaredType === undefined ? 'no declared type' : typeNames[declaredType]}</Badge>
    </Group>
  )
}
