import { Autocomplete, Group, NativeSelect, Switch, Text } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { WithProject } from '../projects/with-project.tsx'
import { Page } from '../../ui/page.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { currentStages, type Project } from '../projects/queries.ts'
import { useScope } from '../../session/use-scope.ts'
import { digestsQuery, type Place } from '../variables/queries.ts'
import type { StageSearch } from './stage-search.ts'
import { StageHistory } from './stage-history.tsx'
import classes from './history.module.css'

export function HistoryPage() {
  return (
    <WithProject>
      {(project) => (
        <Page
          title={`History of ${project.name}`}
          lead={
            <TextLink from="/o/$orgSlug" to="./p/$projectSlug" params={{ projectSlug: project.projectSlug }}>
              Back to the variables
            </TextLink>
          }
        >
          <ProjectHistory project={project} />
        </Page>
      )}
    </WithProject>
  )
}

interface ProjectHistoryProps {
  readonly project: Project
}

/** The history of one of the stages. What is shown is in the address, to be kept or sent to somebody. */
function ProjectHistory({ project }: ProjectHistoryProps) {
  const { stage: asked, name } = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/history' })
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/history' })
  const [showsDigests, setShowsDigests] = useState(false)
  const { projectSlug, stages } = project
  const stage = stages.find(({ stageSlug }) => stageSlug === asked) ?? currentStages(project)[0] ?? stages[0]
  if (!stage) return <Text>There is no stage yet, so nothing was changed in one.</Text>
  const { stageSlug } = stage
  const place = { projectSlug, stageSlug }
  const show = (search: StageSearch): void => void navigate({ search, replace: true, resetScroll: false })
  return (
    <>
      <Group align="flex-end">
        <NativeSelect
          label="Stage"
          value={stageSlug}
          data={stages.map((each) => ({
            value: each.stageSlug,
            label: each.archivedAtMs === undefined ? each.name : `${each.name} (archived)`,
          }))}
          onChange={(event) => show({ stage: event.currentTarget.value, ...(name !== undefined && { name }) })}
        />
        <VariableFilter
          place={place}
          name={name}
          onChange={(chosen) => show({ stage: stageSlug, ...(chosen !== '' && { name: chosen }) })}
        />
        <Switch
          label="Show digests"
          mb="xs"
          checked={showsDigests}
          onChange={(event) => setShowsDigests(event.currentTarget.checked)}
        />
      </Group>
      {showsDigests && (
        <Text size="sm" c="dimmed">
          A digest stands for a value that stays hidden: equal digests are equal values.
        </Text>
      )}
      <StageHistory
        key={JSON.stringify([stageSlug, name])}
        place={place}
        stage={stage}
        isReadOnly={project.archivedAtMs !== undefined || stage.archivedAtMs !== undefined}
        name={name}
        showsDigests={showsDigests}
      />
    </>
  )
}

interface VariableFilterProps {
  readonly place: Place
  /** Undefined: all variables are shown. */
  readonly name: string | undefined
  /** Empty: all. */
  readonly onChange: (name: string) => void
}

/** One variable, or all: the present ones are offered, and any other can be entered. */
function VariableFilter({ place, name = '', onChange }: VariableFilterProps) {
  const { data } = useQuery(digestsQuery(useScope(), place))
  const [typed, setTyped] = useState(name)
  const [shown, setShown] = useState(name)
  // Links change it, too.
  if (name !== shown) {
    setShown(name)
    setTyped(name)
  }
  return (
    <form
      className={classes['filter']}
      onSubmit={(event) => {
        event.preventDefault()
        onChange(typed)
      }}
    >
      <Autocomplete
        label="Variable"
        placeholder="All variables"
        size="md"
        limit={50}
        comboboxProps={{ withinPortal: false }}
        withScrollArea={false}
        classNames={{ options: classes['options'] ?? '', option: 'wrapping' }}
        maxLength={256}
        autoCapitalize="none"
        spellCheck={false}
        clearable
        clearButtonProps={{ 'aria-label': 'Show all variables' }}
        data={data?.variables.map((variable) => variable.name) ?? []}
        value={typed}
        onChange={(next) => {
          setTyped(next)
          if (next === '') onChange('')
        }}
        onOptionSubmit={onChange}
      />
    </form>
  )
}
