import type { Project } from '@rollkey/sdk/core'
import { Anchor, Stack, Text } from '@mantine/core'
import { useStageContents } from '../../../data/variables/queries.ts'
import { labels } from './labels.ts'

interface TemplateLinksProps {
  readonly project: Project
  readonly name: string
  readonly stageSlug: string
  readonly onOpen: (name: string) => void
}

/** Shows which variables a template names, and which templates name the variable. */
export function TemplateLinks({ project, name, stageSlug, onOpen }: TemplateLinksProps) {
  const { stages } = useStageContents(project)
  const { variables = [] } = stages?.find(({ stage }) => stage.stageSlug === stageSlug)?.contents ?? {}
  const sources = variables.find((each) => each.name === name)?.sources ?? []
  const dependents = variables.filter((each) => each.sources?.includes(name)).map((each) => each.name)
  if (sources.length + dependents.length === 0) return null
  return (
    <Stack gap={4}>
      <Links label={labels.namesSources} names={sources} onOpen={onOpen} />
      <Links label={labels.namedByTemplates} names={dependents} onOpen={onOpen} />
    </Stack>
  )
}

interface LinksProps extends Pick<TemplateLinksProps, 'onOpen'> {
  readonly label: string
  readonly names: readonly string[]
}

function Links({ label, names, onOpen }: LinksProps) {
  if (names.length === 0) return null
  return (
    <Text size="sm">
      <Text span c="dimmed">
        {label}
      </Text>
      {names.map((each) => (
        <span key={each}>
          {' '}
          <Anchor component="button" type="button" size="sm" className="mono" onClick={() => onOpen(each)}>
            {each}
          </Anchor>
        </span>
      ))}
    </Text>
  )
}
