import type { Project } from '@rollkey/sdk/core'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { declarationsQuery } from '../../../data/declarations.ts'
import { useMay } from '../../../session/permissions.ts'
import { useScope } from '../../../session/scope.ts'
import { TextLink } from '../../../ui/buttons.tsx'
import { labels } from './labels.ts'

interface DeclaredLineProps {
  readonly project: Project
  readonly name: string
}

/** Says what the project expects of a variable, and leads to its declaration, or to a new one. */
export function DeclaredLine({ project, name }: DeclaredLineProps) {
  const { projectSlug, archivedAtMs } = project
  const { data } = useQuery(declarationsQuery(useScope(), projectSlug))
  const mayDeclare = useMay()('write', { projectSlug }) && archivedAtMs === undefined
  const declared = data?.find((each) => each.name === name)
  if (!data || (!declared && !mayDeclare)) return null
  return (
    <Text size="sm" c="dimmed">
      {declared && (labels.declared(declared) ?? labels.declaredAs)}{' '}
      <TextLink
        from="/o/$orgSlug"
        to="./p/$projectSlug/declared"
        params={{ projectSlug }}
        search={mayDeclare ? { name } : {}}
        size="sm"
      >
        {declared ? labels.declaration : labels.declareThis}
      </TextLink>
    </Text>
  )
}
