import type { Project } from '@rollkey/sdk/core'
import { Button, CloseButton, Group, Menu, Stack, Text } from '@mantine/core'
import { type Exposure, exposures, limits } from '@rollkey/contract/rules'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { canCopy, copyText } from '../../../lib/browser.ts'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { IconCopy, IconDelete, IconDown, IconPlain, IconSwitch } from '../../../ui/icons.ts'
import { focusOn } from '../../../ui/focus.ts'
import { toast } from '../../../ui/toast.tsx'
import { useScope } from '../../../session/scope.ts'
import { deletionsOf } from '../../../data/unsaved-changes/change-set.ts'
import { useChanges } from '../../../data/unsaved-changes/changes-context.ts'
import { cellFocus } from '../../../data/projects/commands.ts'
import { currentStages, useProjectWhere } from '../../../data/projects/queries.ts'
import { type Proposing, useProposing } from '../../../parts/proposing/use-proposing.tsx'
import { nextStage, useOpenCopy } from '../copy/promotions.ts'
import { digestsQuery } from '../../../data/variables/queries.ts'
import { isIn } from '../../../data/variables/use-save.ts'
import { succeeded, useStageWrite } from '../../../data/variables/use-stage-write.ts'
import type { StageWrite } from '../../../data/variables/write.ts'
import { toggled } from '../../../lib/rank.ts'
import type { Row } from '../../../data/variables/comparison.ts'
import { labels } from './labels.ts'
import classes from './toolbar.module.css'
import { range } from './table-view.ts'

interface SelectionBarProps {
  readonly project: Project
  /** Names of variables. */
  readonly selected: ReadonlySet<string>
  readonly onClear: () => void
}

/** Shows the actions of the selected variables in place of the filters. */
export function SelectionBar({ project, selected, onClear }: SelectionBarProps) {
  const openCopy = useOpenCopy(project.projectSlug)
  const writable = useProjectWhere(project, 'write')
  const sources = currentStages(useProjectWhere(project, 'read'))
  const targets = currentStages(writable)
  const from = sources.find((source) => targets.some((target) => target.stageSlug !== source.stageSlug))
  const to = from && nextStage(targets, from)
  const copyNames = async (): Promise<void> => {
    if (!canCopy()) return toast.info(labels.cannotCopy)
    await copyText(Promise.resolve([...selected].join('\n')))
    toast.success(labels.namesCopied(selected.size))
  }
  return (
    <Group
      ref={useHeightAbove()}
      className={classes['selection']}
      gap="xs"
      role="toolbar"
      aria-label={labels.selection}
    >
      <CloseButton aria-label={labels.clearSelection} onClick={onClear} />
      <Text role="status" fw={500} me="xs">
        {labels.selected(selected.size)}
      </Text>
      {from && to && (
        <Button
          variant="default"
          leftSection={<IconSwitch />}
          onClick={() => openCopy(from.stageSlug, to.stageSlug, [...selected])}
        >
          {labels.copyToStage}
        </Button>
      )}
      {targets.length > 0 && <ExposureMenu project={writable} selected={selected} onDone={onClear} />}
      <Button
        variant="default"
        visibleFrom="sm"
        leftSection={<IconCopy />}
        onClick={() => void copyNames().catch((error: unknown) => toast.error(error))}
      >
        {labels.copyNames}
      </Button>
      {targets.length > 0 && <DeleteMenu project={writable} selected={selected} onDone={onClear} />}
    </Group>
  )
}

/** Moves the head of the table below the bar while the page scrolls. Returns the ref of the bar, which has several lines on a phone. */
function useHeightAbove() {
  const bar = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const table = bar.current?.parentElement
    const observer = new ResizeObserver(([entry]) => {
      table?.style.setProperty('--above-head', `${entry?.borderBoxSize[0]?.blockSize ?? 0}px`)
    })
    if (bar.current) observer.observe(bar.current)
    return () => {
      observer.disconnect()
      table?.style.removeProperty('--above-head')
    }
  }, [])
  return bar
}

interface ActionProps {
  readonly project: Project
  readonly selected: ReadonlySet<string>
  readonly onDone: () => void
}

/** Returns the selected variables of each stage, as the table shows them. */
function useSelectedByStage({ project, selected }: Pick<ActionProps, 'project' | 'selected'>) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const { projectSlug } = project
  return currentStages(project).flatMap((stage) => {
    const place = { projectSlug, stageSlug: stage.stageSlug }
    const contents = queryClient.getQueryData(digestsQuery(scope, place).queryKey)
    const variables = contents?.variables.filter(({ name }) => selected.has(name)) ?? []
    return contents && variables.length > 0 ? [{ stage, place, contents, variables }] : []
  })
}

/** Stages the deletion of variables, which is reviewed before it is saved. */
function DeleteMenu({ project, selected, onDone }: ActionProps) {
  const { pending, add, review } = useChanges()
  const byStage = useSelectedByStage({ project, selected })
  const collect = (chosen: typeof byStage): void => {
    add(
      chosen.flatMap(({ place: { stageSlug }, contents, variables }) =>
        deletionsOf(
          variables.map(({ name }) => name),
          stageSlug,
          contents,
        ),
      ),
    )
    onDone()
    review(pending)
  }
  return (
    <Menu withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          variant="default"
          c="var(--danger-text)"
          ms="auto"
          leftSection={<IconDelete />}
          rightSection={<IconDown size={14} />}
        >
          {labels.delete}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {byStage.map((each) => (
          <Menu.Item
            key={each.stage.stageSlug}
            disabled={each.variables.length > limits.entries}
            onClick={() => collect([each])}
          >
            {labels.deleteFrom(each.variables.length, each.stage.name)}
          </Menu.Item>
        ))}
        {byStage.length > 1 && (
          <Menu.Item
            disabled={byStage.some(({ variables }) => variables.length > limits.entries)}
            onClick={() => collect(byStage)}
          >
            {labels.deleteFromAll(byStage.map(({ stage }) => stage))}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Sets who sees the values of the variables in all stages that have them, after a question that names the stages. */
function ExposureMenu({ project, selected, onDone }: ActionProps) {
  const [isAsking, setAsking] = useState(false)
  const [exposure, setExposure] = useState<Exposure>('plain')
  const stages = useSelectedByStage({ project, selected }).map(({ stage }) => stage)
  const proposing = useProposing(project.projectSlug, stages)
  const expose = useExpose({ project, selected, onDone }, proposing)
  const askFor = (chosen: Exposure): void => {
    setExposure(chosen)
    setAsking(true)
  }
  return (
    <>
      <Menu withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconPlain />} rightSection={<IconDown size={14} />}>
            {labels.exposure}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {exposures.map((each) => (
            <Menu.Item key={each} onClick={() => askFor(each)}>
              {labels.exposures[each]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        title={labels.exposeTitle[exposure]([...selected])}
        label={proposing.label(stages, labels.exposeButton[exposure])}
        check={proposing.check}
        isDangerous={false}
        mutation={{ ...expose, mutate: () => expose.mutate(exposure, { onSuccess: () => setAsking(false) }) }}
        opened={isAsking}
        onClose={() => setAsking(false)}
      >
        <Stack gap="xs">
          {labels.exposeText[exposure]}
          {proposing.notice}
          {proposing.reasonField}
        </Stack>
      </ConfirmDialog>
    </>
  )
}

function useExpose({ project, selected, onDone }: ActionProps, { reasonIn }: Proposing) {
  const { write, confirm } = useStageWrite()
  const byStage = useSelectedByStage({ project, selected })
  return useMutation({
    mutationFn: async (exposure: Exposure) => {
      const writes = byStage.flatMap(({ place, contents: { revision }, variables }): readonly StageWrite[] => {
        const updates = variables
          .filter((each) => (each.exposure ?? 'secret') !== exposure)
          .map(({ name }) => ({ name, exposure }))
        const reason = reasonIn(place.stageSlug)
        return updates.length === 0 ? [] : [{ place, content: { updates }, seen: revision, reason }]
      })
      const outcome = await write(...writes)
      const savedIn = byStage.filter(({ place }) => isIn(outcome.saved, place)).map(({ stage }) => stage)
      confirm(outcome, labels.exposed(exposure, [...selected], savedIn))
      await outcome.shown
      return succeeded(outcome)
    },
    onSuccess: () => {
      const [first] = byStage
      onDone()
      if (first) focusOn(cellFocus(first.stage.stageSlug, first.variables[0]?.name ?? ''))
    },
  })
}

export interface Selection {
  /** Names of variables. */
  readonly selected: ReadonlySet<string>
  /** Selects or deselects a variable; with `isRange` also all rows since the last one. */
  readonly select: (name: string, isRange: boolean) => void
  readonly areAllSelected: boolean
  /** Selects all rows, or none if all are selected. */
  readonly selectAll: () => void
  /** Selects none, and ends the selecting. */
  readonly clear: () => void
  /** Whether a phone shows the checkboxes, which elsewhere are there with the mouse. */
  readonly isSelecting: boolean
  readonly toggleSelecting: () => void
}

/** Returns whether a key is part of a shortcut of the browser. */
export function hasModifier({
  ctrlKey,
  metaKey,
  altKey,
}: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey'>): boolean {
  return ctrlKey || metaKey || altKey
}

/** Returns the selection, and functions that change it. `rows`: the shown ones. */
export function useSelection(rows: readonly Row[]): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const anchor = useRef<string>(undefined)
  const select = useCallback(
    (name: string, isRange: boolean) => {
      const from = anchor.current
      anchor.current = name
      setSelected((now) =>
        isRange && from !== undefined ? new Set([...now, ...range(rows, from, name)]) : toggled(now, name),
      )
    },
    [rows],
  )
  const [isSelecting, { toggle: toggleSelecting, close: endSelecting }] = useDisclosure()
  const clear = useCallback(() => {
    setSelected(new Set())
    endSelecting()
  }, [endSelecting])
  const areAllSelected = rows.length > 0 && rows.every(({ name }) => selected.has(name))
  const selectAll = (): void => setSelected(new Set(areAllSelected ? [] : rows.map(({ name }) => name)))
  return { selected, select, areAllSelected, selectAll, clear, isSelecting, toggleSelecting }
}
