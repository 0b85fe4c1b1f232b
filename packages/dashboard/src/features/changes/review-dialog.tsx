import type { Project, Stage, StageSlugs } from '@rollkey/sdk/core'
import { Button, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useDisclosure, useTimeout } from '@mantine/hooks'
import type { RevealedEntry, WriteEntry } from '@rollkey/contract'
import { compareCodePoints, kinds, valuesOf } from '@rollkey/contract/rules'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import { BusyButton } from '../../ui/buttons.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { IconClose, IconHide, IconReveal } from '../../ui/icons.ts'
import { focusHeading, focusOn } from '../../ui/focus.ts'
import { FormFooter } from '../../ui/form.tsx'
import { cellFocus, gridFocus } from '../../data/projects/commands.ts'
import { ProgressBar } from '../../ui/loading.tsx'
import { ValueText } from '../../ui/masked-value.tsx'
import { KindIcon, StatusBadge } from '../../ui/status.tsx'
import { useScope } from '../../session/scope.ts'
import { ProductionNotice } from '../../parts/projects/production-notice.tsx'
import { useWaitingProposals } from '../../data/proposals/queries.ts'
import { type Proposing, useProposing } from '../../parts/proposing/use-proposing.tsx'
import { capitalized, inStages, isExposed, seenKindOf } from '../../data/variables/labels.ts'
import { ChangeText } from '../../parts/variables/recent-changes.tsx'
import { plainQuery } from '../../data/variables/queries.ts'
import { succeeded, useStageWrite } from '../../data/variables/use-stage-write.ts'
import type { Saved, StageWrite } from '../../data/variables/write.ts'
import { useChanges, useUnsavedChanges } from '../../data/unsaved-changes/changes-context.ts'
import {
  byStage,
  Conflict,
  differencesOf,
  effectNames,
  effectOf,
  isTooMuch,
  type PendingChange,
  stateOf,
} from '../../data/unsaved-changes/change-set.ts'
import { labels } from './labels.ts'
import classes from './review-dialog.module.css'
import { Modal } from '../../ui/dialog.tsx'
import type { Proposed } from '../../data/proposals/proposed.ts'
import { labels as proposalLabels } from '../../parts/proposing/labels.ts'

interface ReviewDialogProps {
  readonly project: Project
}

export function ReviewDialog({ project }: ReviewDialogProps) {
  const { projectSlug } = project
  const { reviewed, setReviewed, update } = useUnsavedChanges()
  const { pending } = useChanges()
  const end = (): void => setReviewed(undefined)
  const save = useSaveChanges(project, (all) => {
    end()
    const [first] = all
      .flatMap((each) => each.changes)
      .filter(({ entry }) => entry)
      .toSorted((one, other) => compareCodePoints(one.name, other.name))
    focusHeading()
    focusOn(first ? cellFocus(first.stageSlug, first.name) : gridFocus)
  })
  const close = (): void => {
    end()
    const before = reviewed?.before
    if (before && !save.isPending) {
      update(projectSlug, () => before)
      focusOn(gridFocus)
    }
    // An error that comes after this is shown when the dialog opens again.
    if (!save.isPending) save.reset()
  }
  return (
    <Modal
      opened={reviewed?.projectSlug === projectSlug && pending.length > 0}
      onClose={close}
      title={deletedBy(pending) ? labels.reviewDeletionsTitle : labels.reviewTitle}
      size={680}
    >
      <ReviewForm projectSlug={projectSlug} stages={project.stages} save={save} onCancel={close} />
    </Modal>
  )
}

/** Returns the names of variables that are only deleted; undefined if something else changes, too. */
function deletedBy(changes: readonly PendingChange[]): readonly string[] | undefined {
  return changes.some(({ entry }) => entry)
    ? undefined
    : [...new Set(changes.map(({ name }) => name))].toSorted(compareCodePoints)
}

interface StageChanges {
  readonly stage: Stage
  readonly changes: readonly PendingChange[]
}

/** Returns the changes of each stage, in the order in which they are shown and saved: production stages last. */
function inReviewOrder(stages: readonly Stage[], pending: readonly PendingChange[]): readonly StageChanges[] {
  const changes = byStage(pending)
  const changed = stages.flatMap((stage) => {
    const found = changes.get(stage.stageSlug)
    return found ? [{ stage, changes: found }] : []
  })
  return [...changed.filter(({ stage }) => !stage.isProduction), ...changed.filter(({ stage }) => stage.isProduction)]
}

/** Returns the write of all changes of a stage. */
function writeOf(place: StageSlugs, changes: readonly PendingChange[], reason: string | undefined): StageWrite {
  const entries = changes.flatMap(({ entry }) => entry ?? [])
  const deletes = changes.flatMap(({ name, entry }) => (entry ? [] : name))
  return {
    place,
    content: { ...(entries.length > 0 && { entries }), ...(deletes.length > 0 && { deletes }) },
    seen: new Map(changes.map((change) => [change.name, change.seen])),
    reason,
  }
}

/** Says what was saved of the changes of a review. */
function savedText(all: readonly StageChanges[], saved: readonly Saved[]): string {
  const savedIn = all.filter(({ stage }) => saved.some(({ place }) => place.stageSlug === stage.stageSlug))
  const stages = savedIn.map(({ stage }) => stage)
  const changes = savedIn.flatMap((each) => each.changes)
  const deleted = deletedBy(changes)
  return deleted ? labels.deleted(deleted, stages) : labels.saved(changes.length, stages)
}

interface Progressed {
  readonly stage: string
  readonly saved: number
  readonly all: number
}

/** How long saving takes before its progress is shown. */
const progressAfterMs = 2_000

/**
 * Saves the changes stage by stage. A saved change is no longer pending. A second attempt replaces what a conflict reported.
 */
function useSaveChanges({ projectSlug, stages }: Project, onSaved: (all: readonly StageChanges[]) => void) {
  const { write, confirm } = useStageWrite()
  const { pending, remove, accept } = useChanges()
  const [progress, setProgress] = useState<Progressed | undefined>()
  const [isSlow, setSlow] = useState(false)
  const { start, clear } = useTimeout(() => setSlow(true), progressAfterMs)
  const mutation = useMutation({
    mutationFn: async (reasonIn: Proposing['reasonIn']) => {
      start()
      const saved: Saved[] = []
      const proposed: Proposed[] = []
      const all = inReviewOrder(stages, pending)
      for (const { stage, changes } of all) {
        setProgress({ stage: stage.name, saved: saved.length, all: all.length })
        const place = { projectSlug, stageSlug: stage.stageSlug }
        const outcome = await succeeded(await write(writeOf(place, changes, reasonIn(stage.stageSlug))))
        saved.push(...outcome.saved)
        proposed.push(...outcome.proposed)
        await outcome.shown
        remove(changes)
      }
      return { saved, proposed, all }
    },
    onError: (error) => {
      if (error instanceof Conflict) accept(error)
    },
    onSuccess: ({ saved, proposed, all }) => {
      confirm({ saved, proposed }, savedText(all, saved))
      onSaved(all)
    },
    onSettled: () => {
      clear()
      setSlow(false)
    },
  })
  return { ...mutation, progress: isSlow ? progress : undefined }
}

interface ReviewFormProps {
  readonly projectSlug: string
  readonly stages: readonly Stage[]
  readonly save: {
    /** `reasonIn`: why the changes of a stage are proposed. */
    mutate(reasonIn: Proposing['reasonIn']): void
    readonly error: unknown
    readonly isPending: boolean
    /** Absent during the first seconds. */
    readonly progress: Progressed | undefined
  }
  readonly onCancel: () => void
}

/** Lists the changes by stage, with one button that saves them. */
function ReviewForm({ projectSlug, stages, save, onCancel }: ReviewFormProps) {
  const { pending } = useChanges()
  const list = useRef<HTMLDivElement>(null)
  const nameOf = (slug: string): string => stages.find(({ stageSlug }) => stageSlug === slug)?.name ?? slug
  const changed = inReviewOrder(stages, pending)
  const changedIn = changed.map(({ stage }) => stage)
  const deleted = deletedBy(pending)
  const isTooMany = changed.some(({ changes }) => isTooMuch(changes))
  const proposing = useProposing(projectSlug, changedIn)
  const isProposed = ({ stageSlug }: Stage): boolean => proposing.reasonIn(stageSlug) !== undefined
  return (
    <Stack
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isTooMany && !save.isPending && proposing.check()) save.mutate(proposing.reasonIn)
      }}
    >
      <Stack
        ref={list}
        tabIndex={-1}
        data-autofocus={!changedIn.some(isProposed) || undefined}
        className={`focused-part ${classes['list']}`}
        gap="lg"
      >
        {changed.map((each) => (
          <StageSection key={each.stage.stageSlug} {...each} projectSlug={projectSlug} list={list} />
        ))}
      </Stack>
      <ReviewProblem error={save.error} nameOf={nameOf} />
      {isTooMany && <Notice kind="error">{labels.tooMany}</Notice>}
      {proposing.notice}
      {proposing.reasonField}
      {changedIn
        .filter((stage) => stage.isProduction && !isProposed(stage))
        .map(({ stageSlug, name }) => (
          <ProductionNotice key={stageSlug} stage={name} />
        ))}
      <SaveProgress progress={save.progress} />
      <Text size="sm" c="dimmed">
        {changed.length === 1 ? labels.together(changedIn.every(isProposed)) : labels.oneByOne}
      </Text>
      <FormFooter>
        <Button variant="default" onClick={onCancel}>
          {labels.cancel}
        </Button>
        <BusyButton type="submit" {...(deleted && { color: 'red' })} disabled={isTooMany} isBusy={save.isPending}>
          {changedIn.every(isProposed)
            ? proposalLabels.propose(pending.length, inStages(changedIn))
            : deleted
              ? labels.delete(deleted, changedIn)
              : labels.save(pending.length, changedIn)}
        </BusyButton>
      </FormFooter>
    </Stack>
  )
}

function SaveProgress({ progress }: Pick<ReviewFormProps['save'], 'progress'>) {
  return (
    <div role="status">
      {progress && (
        <ProgressBar
          label={labels.saving(progress.stage)}
          share={progress.saved / progress.all}
          text={labels.progress(progress.saved, progress.all)}
        />
      )}
    </div>
  )
}

interface StageSectionProps extends StageChanges {
  readonly projectSlug: string
  /** The list, which takes the focus when an item is removed. */
  readonly list: RefObject<HTMLElement | null>
}

function StageSection({ stage, changes, projectSlug, list }: StageSectionProps) {
  const { pending, remove } = useChanges()
  const { data: plain = [] } = useQuery({
    ...plainQuery(useScope(), { projectSlug, stageSlug: stage.stageSlug }),
    enabled: changes.some(({ before }) => before && isExposed(before)),
  })
  const plainByName = new Map(plain.map((entry) => [entry.name, entry]))
  const waiting = useWaitingProposals(projectSlug).get(stage.stageSlug)
  const removeOne = (change: PendingChange): void => {
    remove([change])
    if (pending.length === 1) focusHeading()
    else list.current?.focus()
  }
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Title order={3} size="h4">
          {stage.name}
        </Title>
        {stage.isProduction && <StatusBadge status="production">{labels.production}</StatusBadge>}
      </Group>
      <Stack component="ul" className="plain-list" gap={0}>
        {changes.map((change) => (
          <ChangeItem
            key={change.name}
            stage={stage.name}
            change={change}
            plain={plainByName.get(change.name)}
            waiting={waiting?.get(change.name)?.reason}
            onRemove={() => removeOne(change)}
          />
        ))}
      </Stack>
    </Stack>
  )
}

interface ReviewProblemProps {
  readonly error: unknown
  /** Returns the name of a stage. */
  readonly nameOf: (stageSlug: string) => string
}

/** Shows why changes were not saved. */
function ReviewProblem({ error, nameOf }: ReviewProblemProps) {
  if (!(error instanceof Conflict)) return <ErrorNotice error={error} />
  const stage = nameOf(error.stageSlug)
  return (
    <Notice kind="error" title={labels.conflictTitle(stage)}>
      <Stack gap="xs">
        <Stack component="ul" className="plain-list wrapping" gap="xs">
          {error.changes.map((change) => (
            <li key={`${change.revision} ${change.name}`}>
              <bdi>{change.name}</bdi>
              <ChangeText change={change} />
            </li>
          ))}
        </Stack>
        <Text size="sm">{labels.conflictText(stage)}</Text>
      </Stack>
    </Notice>
  )
}

interface ChangeItemProps {
  readonly stage: string
  readonly change: PendingChange
  /** The stored entry, where people see it without revealing it. */
  readonly plain: RevealedEntry | undefined
  /** The reason of an open change that has the variable too. */
  readonly waiting: string | undefined
  readonly onRemove: () => void
}

/** Shows one change. It consists of plain elements, because there may be thousands. */
function ChangeItem({ stage, change, plain, waiting, onRemove }: ChangeItemProps) {
  const [isShown, { toggle }] = useDisclosure()
  const { name, entry } = change
  const effect = effectOf(change)
  const variable = stateOf(change)
  return (
    <li className={classes['item']}>
      {variable && <KindIcon kind={seenKindOf(variable)} />}
      <div className={classes['facts']}>
        <div className={classes['head']}>
          <bdi className={`mono ${classes['name']}`}>{name}</bdi>
          <span className={classes['effect']} data-effect={effect}>
            {effectNames[effect]}
          </span>
        </div>
        <Text component="div" size="sm" c="dimmed">
          {capitalized(differencesOf(change).join(' · '))}
        </Text>
        {entry && <ValueTransitions change={change} entry={entry} plain={plain} isShown={isShown} />}
        {waiting !== undefined && (
          <Text size="sm" c="var(--pending-text)" className="wrapping">
            {labels.waiting(waiting)}
          </Text>
        )}
      </div>
      {entry && variable && !isExposed(variable) && (
        <button
          type="button"
          className={classes['action']}
          aria-expanded={isShown}
          aria-label={isShown ? labels.hideValueOf(name, stage) : labels.showValueOf(name, stage)}
          title={isShown ? labels.hideValue : labels.showValue}
          onClick={toggle}
        >
          {isShown ? <IconHide /> : <IconReveal />}
        </button>
      )}
      <button
        type="button"
        className={classes['action']}
        aria-label={labels.removeOf(name, stage)}
        title={labels.remove}
        onClick={onRemove}
      >
        <IconClose />
      </button>
    </li>
  )
}

interface ValueTransitionsProps {
  readonly change: PendingChange
  readonly entry: WriteEntry
  readonly plain: RevealedEntry | undefined
  /** Whether the person asked for the new values. */
  readonly isShown: boolean
}

/** Shows each value before and after the change. Secret ones are masked until the person asks. */
function ValueTransitions({ change, entry, plain, isShown }: ValueTransitionsProps) {
  const after = stateOf(change)
  const isVisible = isShown || (after !== undefined && isExposed(after))
  const before = plain?.kind === entry.kind ? valuesOf(plain) : []
  const hasBefore = change.before?.kind === entry.kind
  return valuesOf(entry).map((value, at) => {
    const { field, label } = kinds[entry.kind].values[at] ?? {}
    // A value that is visible on both sides and stays is not a change.
    if (isVisible && before[at] === value) return null
    return (
      <div key={field} className={classes['transition']}>
        <span className={classes['label']}>{capitalized(label ?? '')}</span>
        {hasBefore && (
          <>
            <ShownValue value={before[at]} />
            <span className={classes['arrow']}>{labels.arrow}</span>
          </>
        )}
        <ShownValue value={isVisible ? value : undefined} />
      </div>
    )
  })
}

interface ShownValueProps {
  /** Undefined: masked. */
  readonly value: string | undefined
}

function ShownValue({ value }: ShownValueProps) {
  if (value === undefined) {
    return (
      <span className={classes['mask']}>
        {labels.mask}
        <VisuallyHidden>{labels.hidden}</VisuallyHidden>
      </span>
    )
  }
  return <ValueText value={value} className={classes['value']} />
}
