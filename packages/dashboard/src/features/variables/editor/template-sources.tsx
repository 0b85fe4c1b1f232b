/** What templates name, for the forms and dialogs of variables. */
import type { Stage } from '@rollkey/sdk/core'
import { Button, Group, Text } from '@mantine/core'
import { dependentsOf, isEnvironmentName } from '@rollkey/contract/rules'
import { useQueries } from '@tanstack/react-query'
import type { StageContents } from '../../../data/variables/comparison.ts'
import { digestsQuery } from '../../../data/variables/queries.ts'
import { useScope } from '../../../session/scope.ts'
import { labels } from './labels.ts'

type Places = readonly Pick<Stage, 'stageSlug' | 'name'>[]

interface ReadStage {
  readonly name: string
  readonly variables: StageContents['variables']
}

/** Returns those of the stages that the table has read, and reads none. */
function useReadStages(projectSlug: string, stages: Places): readonly ReadStage[] {
  const scope = useScope()
  return useQueries({
    queries: stages.map(({ stageSlug }) => ({
      ...digestsQuery(scope, { projectSlug, stageSlug }),
      enabled: false,
    })),
    combine: (results) =>
      results.flatMap(({ data }, at) => {
        const stage = stages[at]
        return data && stage ? [{ name: stage.name, variables: data.variables }] : []
      }),
  })
}

interface DependentsProps {
  readonly projectSlug: string
  readonly name: string
  readonly stages: Places
  /** Returns what happens to the templates. */
  readonly text: (templates: readonly string[], stages: readonly string[]) => string
}

/** Names the templates that a change of the variable concerns, before it happens. */
export function Dependents({ projectSlug, name, stages, text }: DependentsProps) {
  const read = useReadStages(projectSlug, stages)
  const concerned = read
    .map((stage) => ({ stage, templates: dependentsIn(stage, name) }))
    .filter(({ templates }) => templates.length > 0)
  if (concerned.length === 0) return null
  const templates = [...new Set(concerned.flatMap((each) => each.templates))]
  return (
    <Text size="sm" className="wrapping" aria-live="polite">
      {text(
        templates,
        concerned.map(({ stage }) => stage.name),
      )}
    </Text>
  )
}

function dependentsIn({ variables }: ReadStage, name: string): readonly string[] {
  return dependentsOf(
    [name],
    variables.flatMap((each) => (each.sources ? [[each.name, each.sources] as const] : [])),
  )
}

function hasSecret({ variables }: ReadStage, name: string): boolean {
  return variables.some((each) => each.name === name && each.kind === 'secret')
}

/** The first name that is begun and not ended; `$${` begins none. */
const begun = /(?<!\$)\$\{(\w*)(?![\w}])/
/** Maximum number of names that are offered. */
const shownNames = 8

interface SourceSuggestionsProps {
  readonly projectSlug: string
  /** The variable itself, which cannot be its source. */
  readonly name: string
  readonly stages: Places
  /** The text that is entered. */
  readonly text: string
  /** Receives the text with the chosen name. */
  readonly onChange: (text: string) => void
}

/** Offers the secrets that all stages have, while the name of a source is typed. */
export function SourceSuggestions({ text, ...of }: SourceSuggestionsProps) {
  const match = begun.exec(text)
  return match && <Suggestions {...of} text={text} match={match} />
}

function Suggestions({
  projectSlug,
  name,
  stages,
  text,
  match,
  onChange,
}: SourceSuggestionsProps & { readonly match: RegExpExecArray }) {
  const read = useReadStages(projectSlug, stages)
  const [whole, typed = ''] = match
  const names = [...new Set(read.flatMap(({ variables }) => variables.map((each) => each.name)))]
    .filter((each) => each !== name && isEnvironmentName(each) && each.toLowerCase().includes(typed.toLowerCase()))
    .filter((each) => read.every((stage) => hasSecret(stage, each)))
    .slice(0, shownNames)
  if (names.length === 0) return null
  const chosen = (source: string): string =>
    `${text.slice(0, match.index)}\${${source}}${text.slice(match.index + whole.length)}`
  return (
    <Group gap="xs" role="group" aria-label={labels.sources}>
      {names.map((each) => (
        <Button key={each} size="compact-sm" variant="default" className="mono" onClick={() => onChange(chosen(each))}>
          {each}
        </Button>
      ))}
    </Group>
  )
}
