import { Button, Group, Stack, Text, Title } from '@mantine/core'
import type { Digested, WriteEntry } from '@rollkey/contract'
import { useQuery } from '@tanstack/react-query'
import { chanceSentence } from '../../rolls/chance.ts'
import { Notice } from '../../../ui/notice.tsx'
import type { useReveal } from '../use-reveal.ts'
import { effectNames, effectOf, type PendingChange } from '../../changes/change-set.ts'
import type { Stage } from '../../projects/queries.ts'
import { changesQuery, type Place } from '../queries.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { TextLink } from '../../../ui/text-link.tsx'
import { useScope } from '../../../session/use-scope.ts'
import { ButtonLink } from '../../../ui/button-link.tsx'
import { ChanceForm } from './chance-form.tsx'
import { VariableFacts } from './variable-facts.tsx'
import { EntryValues } from './entry-values.tsx'
import { ChangeList } from './change-list.tsx'

interface VariableLookProps {
  readonly name: string
  readonly stage: Stage
  readonly place: Place
  /** As it is now; undefined: somebody deleted it. */
  readonly variable: Digested | undefined
  readonly revision: number
  readonly revealing: ReturnType<typeof useReveal>
  readonly collected: PendingChange | undefined
  readonly isReadOnly: boolean
  readonly onBegin: (mode: 'edit' | 'delete') => void
  readonly onSaved: () => void
}

/** A variable as it is, also when somebody changes it meanwhile. */
export function VariableLook({ name, stage, place, variable, revision, isReadOnly, ...props }: VariableLookProps) {
  const chance = variable?.chance
  return (
    <Stack gap="lg">
      {props.collected && <PendingNotice change={props.collected} />}
      {variable ? (
        <>
          <VariableFacts variable={variable} stage={stage} />
          <RevealedValues {...props.revealing} />
        </>
      ) : (
        <Notice kind="warning">It was deleted meanwhile, and is no longer in {stage.name}.</Notice>
      )}
      {chance !== undefined && !isReadOnly && (
        <ChanceForm place={place} name={name} chance={chance} revision={revision} onSaved={props.onSaved} />
      )}
      {isReadOnly && (
        <Text>
          {chance !== undefined && chanceSentence(chance)} This project is in the archive, so nothing can be changed.
        </Text>
      )}
      {variable && (
        <VariableActions place={place} variable={variable} isReadOnly={isReadOnly} onBegin={props.onBegin} />
      )}
      <RecentChanges place={place} name={name} />
    </Stack>
  )
}

interface PendingNoticeProps {
  readonly change: PendingChange
}

function PendingNotice({ change }: PendingNoticeProps) {
  return (
    <Notice kind="info" title={`${effectNames[effectOf(change)]}, not saved`}>
      What is below is what is stored now. Edit to go on with your change; review at the foot of the page to save it or
      to take it out.
    </Notice>
  )
}

interface RevealedValuesProps {
  /** Undefined: the values are hidden. */
  readonly entry: WriteEntry | undefined
  readonly hide: () => void
  /** Whether that is because they are not what they were. */
  readonly wasChanged: boolean
  readonly request: { mutate(): void; readonly error: unknown; readonly isPending: boolean }
}

function RevealedValues({ entry, hide, wasChanged, request }: RevealedValuesProps) {
  return (
    <Stack gap="xs">
      {entry && <EntryValues entry={entry} />}
      <Group>
        <BusyButton variant="default" isBusy={request.isPending} onClick={entry ? hide : () => request.mutate()}>
          {entry ? 'Hide' : 'Reveal'}
        </BusyButton>
        <Text size="sm" c="dimmed" flex={1}>
          {entry ? 'It hides itself after 30 seconds.' : 'Shows what is stored. The audit log tells who looked.'}
        </Text>
      </Group>
      <Text role="status" size="sm">
        {wasChanged && 'It was changed just now, so what you saw is hidden. Reveal it to see what it is.'}
      </Text>
      <ErrorNotice error={request.error} />
    </Stack>
  )
}

interface RecentChangesProps {
  readonly place: Place
  readonly name: string
}

function RecentChanges({ place, name }: RecentChangesProps) {
  const { data, error } = useQuery(changesQuery(useScope(), place, name))
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Last changes
      </Title>
      <ErrorNotice error={error} />
      {!data && !error && <Loading />}
      {data && <ChangeList changes={data} />}
      <TextLink
        from="/o/$orgSlug"
        to="./p/$projectSlug/history"
        params={{ projectSlug: place.projectSlug }}
        search={{ stage: place.stageSlug, name }}
        size="sm"
      >
        All changes
      </TextLink>
    </Stack>
  )
}

interface VariableActionsProps {
  readonly place: Place
  readonly variable: Digested
  readonly isReadOnly: boolean
  readonly onBegin: (mode: 'edit' | 'delete') => void
}

/** What can be done with a variable. */
function VariableActions({ place, variable, isReadOnly, onBegin }: VariableActionsProps) {
  const { projectSlug, stageSlug: stage } = place
  const { name, kind } = variable
  return (
    <Group>
      {!isReadOnly && (
        <>
          <Button onClick={() => onBegin('edit')}>Edit</Button>
          <Button variant="default" onClick={() => onBegin('delete')}>
            Delete
          </Button>
        </>
      )}
      {kind === 'ab_roll' && (
        <ButtonLink
          variant="default"
          from="/o/$orgSlug"
          to="./p/$projectSlug/roll"
          params={{ projectSlug }}
          search={{ stage, name }}
        >
          Rollout
        </ButtonLink>
      )}
    </Group>
  )
}
