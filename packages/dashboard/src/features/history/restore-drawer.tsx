import type { HistoryChange, StageSlugs } from '@rollkey/sdk/core'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import type { Digested } from '@rollkey/contract'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useId, useMemo } from 'react'
import { limits } from '@rollkey/contract/rules'
import { ask, type Scope, useScope } from '../../session/scope.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { FormFooter } from '../../ui/form.tsx'
import { labels as shared } from '../../ui/labels.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { RowsSkeleton } from '../../ui/loading.tsx'
import { ProductionNotice } from '../../parts/projects/production-notice.tsx'
import { projectsQuery } from '../../data/projects/queries.ts'
import { EndedPlans, useEndedPlans } from '../../parts/plans/ended-plans.tsx'
import { useProposing } from '../../parts/proposing/use-proposing.tsx'
import { succeeded, useStageWrite } from '../../data/variables/use-stage-write.ts'
import type { Saved } from '../../data/variables/write.ts'
import { changesSince, maxChanges } from './revisions.ts'
import { capitalized, variablesText } from '../../data/variables/labels.ts'
import { useChangedValues } from '../../parts/variables/changed-values.tsx'
import { type Effect, effectsOf } from './effects.ts'
import { labels, type ReversalLabels, restoreLabels, undoLabels } from './labels.ts'
import classes from './history.module.css'
import { historyPage } from '../../data/history/queries.ts'
import { Drawer } from '../../ui/dialog.tsx'
import { stageKey } from '../../data/stages.ts'

interface RestoreDrawerProps {
  readonly place: StageSlugs
  /** The name of the stage. */
  readonly stage: string
  /** Undefined: the drawer is closed. */
  readonly past: Past | undefined
  readonly onClose: () => void
  /** Receives the revision that the restore created. */
  readonly onRestored: (revision: number) => void
}

export function RestoreDrawer({ place, stage, past, onClose, onRestored }: RestoreDrawerProps) {
  const words = past && wordsOf(past, stage)
  const done = (revision: number): void => {
    onClose()
    onRestored(revision)
  }
  return (
    <Drawer opened={past !== undefined} onClose={onClose} title={words?.title}>
      {past && words && <RestoreForm place={place} words={words} past={past} onRestored={done} onClose={onClose} />}
    </Drawer>
  )
}

interface RestoreFormProps extends Pick<RestoreDrawerProps, 'place' | 'onRestored' | 'onClose'> {
  readonly words: ReversalLabels
  readonly past: Past
}

/** Shows what a restore would change, with one button that does it. */
function RestoreForm({ place, words, past, onRestored, onClose }: RestoreFormProps) {
  const { preview, error, restore } = useRestore(place, past, words.done, ([saved]) =>
    saved ? onRestored(saved.revision) : onClose(),
  )
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  const stages = projects.find(({ projectSlug }) => projectSlug === place.projectSlug)?.stages ?? []
  const stage = stages.filter(({ stageSlug }) => stageSlug === place.stageSlug)
  const proposing = useProposing(place.projectSlug, stage)
  const reason = proposing.reasonIn(place.stageSlug)
  const values = useChangedValues(place, onlyName(past), preview?.later ?? noChanges)
  const found = useMemo(
    () => preview?.later && effectsOf(preview.present, preview.later.filter(isAbout(past)), values),
    [past, preview, values],
  )
  const effects = found ?? []
  const moved = effects.filter(({ movesChance }) => movesChance).map(({ name }) => name)
  const plans = useEndedPlans(reason === undefined && moved.length > 0 ? place : undefined, moved)
  const again = changedSince(past, preview?.later)
  return (
    <Stack
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!preview || !proposing.check() || restore.isPending) return
        restore.mutate({ seen: preview.revision, names: effects.map(({ name }) => name), reason })
      }}
    >
      <Text>{words.meaning(effects)}</Text>
      {!preview && !error && <RowsSkeleton />}
      {effects.length > 0 && stage[0]?.isProduction === true && reason === undefined && (
        <ProductionNotice stage={stage[0].name} />
      )}
      {effects.length > 0 && <EffectList effects={effects} />}
      {preview && <Text role="status">{previewSentence(preview, found, words, past.revision)}</Text>}
      <EndedPlans plans={plans} />
      {effects.length > 0 && again.length > 0 && <Text>{labels.changedSince(again)}</Text>}
      {effects.length > 0 && proposing.notice}
      {effects.length > 0 && proposing.reasonField}
      <ErrorNotice error={error} />
      {preview && effects.length > 0 && (
        <FormFooter>
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          <BusyButton type="submit" isBusy={restore.isPending}>
            {proposing.label(stage, () => words.button(effects))}
          </BusyButton>
        </FormFooter>
      )}
    </Stack>
  )
}

const noChanges: readonly HistoryChange[] = []

/** `effects`: undefined if too many changes were made since. */
function previewSentence(
  { present }: RestorePreview,
  effects: readonly Effect[] | undefined,
  words: ReversalLabels,
  revision: number,
): string {
  if (!effects) return labels.tooMany(maxChanges, revision)
  if (effects.length === 0) return words.nothing
  const touched = new Set(effects.map(({ name }) => name))
  return labels.restoreIsSafe(present.filter(({ name }) => !touched.has(name)).length)
}

interface Restoring {
  /** The revision that the preview shows. */
  readonly seen: number
  /** The variables that change. */
  readonly names: readonly string[]
  /** Why the restore is proposed. Undefined: it is done at once. */
  readonly reason: string | undefined
}

/**
 * Returns the preview of a restore, and the mutation that restores all variables or none in a new revision, only while the stage is as
 * the preview shows it. `text`: says that it is done.
 */
function useRestore(place: StageSlugs, past: Past, text: string, onDone: (saved: readonly Saved[]) => void) {
  const { revision, names: chosen } = past
  const { write, confirm } = useStageWrite()
  const { data: preview, error } = useQuery(restorePreviewQuery(useScope(), place, past))
  const restore = useMutation({
    mutationFn: async ({ seen, names, reason }: Restoring) => {
      const content = { restore: { revision, ...(chosen && { names: [...chosen] }) } }
      return succeeded(await write({ place, content, names, previewed: seen, reason }))
    },
    onSuccess: (outcome) => {
      confirm(outcome, text)
      onDone(outcome.saved)
    },
  })
  return { preview, error: error ?? restore.error, restore }
}

interface EffectListProps {
  readonly effects: readonly Effect[]
}

/** Lists what a restore would do to each variable. */
function EffectList({ effects }: EffectListProps) {
  const headingId = useId()
  return (
    <Stack gap="xs">
      <Title id={headingId} order={3} size="h4">
        {labels.restoreEffects}
      </Title>
      <Stack
        component="ul"
        className={`plain-list wrapping ${classes['effects']}`}
        gap={4}
        // It scrolls where it is long.
        tabIndex={0}
        aria-labelledby={headingId}
      >
        {effects.map(({ name, words }) => (
          <Group component="li" key={name} justify="space-between" gap="0 var(--mantine-spacing-md)">
            <code>{name}</code>
            <Text size="sm" c="dimmed">
              {capitalized(words)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Stack>
  )
}

/** Restores happen in the service, so no value comes here. */

/** A revision to restore. */
export interface Past {
  readonly revision: number
  /** Names of the variables that are restored. Undefined: all of the stage. */
  readonly names: readonly string[] | undefined
  /** The revision that is undone. Absent: all after `revision` are. */
  readonly undone?: number
}

/** Returns the variables that changed again after the revision that is undone. */
function changedSince({ undone, ...past }: Past, later: readonly HistoryChange[] = []): readonly string[] {
  if (undone === undefined) return []
  return [...new Set(later.filter(isAbout(past)).flatMap(({ name, revision }) => (revision > undone ? name : [])))]
}

function wordsOf({ names, revision, undone }: Past, stage: string): ReversalLabels {
  const what = names ? namesText(names) : stage
  return undone === undefined ? restoreLabels(what, revision, names === undefined) : undoLabels(what, undone, stage)
}

function onlyName({ names = [] }: Pick<Past, 'names'>): string | undefined {
  return names.length === 1 ? names[0] : undefined
}

function isAbout({ names }: Past): (each: { readonly name: string }) => boolean {
  return ({ name }) => names === undefined || names.includes(name)
}

function namesText(names: readonly string[]): string {
  return onlyName({ names }) ?? variablesText(names)
}

interface RestorePreview {
  /** The present revision of the stage. */
  readonly revision: number
  /** The present variables that it is about. */
  readonly present: readonly Digested[]
  /** All changes since; undefined if they are too many. */
  readonly later: readonly HistoryChange[] | undefined
}

const restorePreviewQuery = (scope: Scope, place: StageSlugs, past: Past) =>
  queryOptions({
    queryKey: stageKey('restore', scope, place, past.names, past.revision),
    queryFn: async (): Promise<RestorePreview> => {
      // This is read before the history, which then has every change that led to it.
      const { variables, revision } = await ask(scope, 'digests', place)
      const later = await changesSince(past.revision, (before) =>
        historyPage(scope, place, { name: onlyName(past), before, limit: limits.historyChanges }),
      )
      return { revision, present: variables.filter(isAbout(past)), later }
    },
  })
