/** What templates name, for the forms and dialogs of variables. */
import { Button, Group, Text } from '@mantine/core'
import { isEnvironmentName } from '@rollkey/contract/rules'
import { labels } from './labels.ts'
import { type Places, type ReadStage, useDependents, useReadStages } from './use-dependents.ts'

interface DependentsProps {
  readonly projectSlug: string
  readonly name: string
  readonly stages: Places
  /** Returns what happens to the templates. */
  readonly text: (templates: readonly string[], stages: readonly string[]) => string
}

/** Names the templates that a change of the variable concerns, before it happens. */
export function Dependents({ projectSlug, name, stages, text }: DependentsProps) {
  const dependents = useDependents(projectSlug, name, stages)
  if (!dependents) return null
  return (
    <Text size="sm" className="wrapping" aria-live="polite">
      {text(dependents.templates, dependents.stages)}
    </Text>
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
