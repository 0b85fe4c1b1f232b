import type { Project } from '@rollkey/sdk/core'
import { Tabs } from '@mantine/core'
import { valuesOf } from '@rollkey/contract/rules'
import type { RevealedEntry } from '@rollkey/contract'
import { type RefObject, useEffect, useMemo, useRef } from 'react'
import { useMay } from '../../../session/permissions.ts'
import { SplitBar } from '../../../ui/split-bar.tsx'
import { StatusBadge, StatusDot } from '../../../ui/status.tsx'
import { changeAt, effectNames, effectOf } from '../../../data/unsaved-changes/change-set.ts'
import { useChanges } from '../../../data/unsaved-changes/changes-context.ts'
import { useWaitingProposals } from '../../../data/proposals/queries.ts'
import { type Cell, type CellState, fillingOf, needsVariable, rowsOf } from '../../../data/variables/comparison.ts'
import { servedText, splitText } from '../../../data/variables/labels.ts'
import type { VariableInStage } from '../../../data/variables/queries.ts'
import { usePlainValues } from '../plain-values.ts'
import { labels } from './labels.ts'
import { StageName } from './variable-inputs.tsx'
import classes from './stage-tabs.module.css'

interface StageTabsProps {
  readonly project: Project
  readonly name: string
  readonly stages: readonly VariableInStage[]
  /** Slug of the shown stage. */
  readonly shown: string
  /** Whether the person chose the stage here, so that its tab gets the focus. */
  readonly takesFocus: boolean
  readonly onShow: (stageSlug: string) => void
}

/** Shows where the variable stands in each stage: its status, and what people see of its value. The chosen stage is shown below. */
export function StageTabs({ project, name, stages, shown, takesFocus, onShow }: StageTabsProps) {
  const list = useFocusOfShown(takesFocus)
  const { projectSlug } = project
  const { pending } = useChanges()
  const waiting = useWaitingProposals(projectSlug)
  const may = useMay()
  const rows = useMemo(() => rowsOf(stages.map(({ variable }) => (variable ? [variable] : []))), [stages])
  const cells = rows[0]?.cells ?? []
  const plain = usePlainValues(
    projectSlug,
    useMemo(() => stages.map(({ stage }) => stage), [stages]),
    rows,
  )
  const reference = stages[cells.findIndex(({ state }) => state === 'set')]?.stage.name ?? ''
  return (
    <Tabs
      unstyled
      orientation="vertical"
      value={shown}
      onChange={(slug) => slug !== null && onShow(slug)}
      activateTabWithKeyboard={false}
    >
      <Tabs.List ref={list} className={classes['list']} aria-label={labels.stages}>
        {stages.map(({ stage }, at) => {
          const { stageSlug } = stage
          const cell = cells[at] ?? { state: 'missing', variable: undefined }
          const change = changeAt(pending, stageSlug, name)
          const sign = change ? undefined : signOf(cell.state)
          return (
            <Tabs.Tab
              key={stageSlug}
              value={stageSlug}
              classNames={{ tab: classes['tab'] ?? '', tabLabel: classes['label'] ?? '' }}
            >
              <span>{sign && <StatusDot status={sign}>{labels.compared[sign](reference)}</StatusDot>}</span>
              <span className={classes['name']}>
                <StageName stage={stage} />
              </span>
              <span className={classes['value']}>
                {change ? (
                  <StatusBadge status="draft">{labels.draft(effectNames[effectOf(change)])}</StatusBadge>
                ) : (
                  <ValueInStage
                    cell={cell}
                    entry={plain[at]?.values.get(name)}
                    isNeeded={needsVariable(stage, fillingOf(stage.variables, project.variables))}
                    isProposed={waiting.get(stageSlug)?.has(name) === true}
                    mayRead={may('read', { projectSlug, stageSlug })}
                  />
                )}
              </span>
            </Tabs.Tab>
          )
        })}
      </Tabs.List>
    </Tabs>
  )
}

/** Returns the list of tabs, of which the chosen one may take the focus. */
function useFocusOfShown(takesFocus: boolean): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus()
  }, [takesFocus])
  return list
}

/** Returns the sign of a comparison. What is missing or cannot be opened says so where its value would be. */
function signOf(state: CellState): 'same' | 'different' | undefined {
  return state === 'same' || state === 'different' ? state : undefined
}

interface ValueInStageProps {
  readonly cell: Cell
  /** The entry, if people see its values without a reveal. */
  readonly entry: RevealedEntry | undefined
  /** Whether it is an alarm that the stage lacks the variable. */
  readonly isNeeded: boolean
  /** Whether a change of it waits. */
  readonly isProposed: boolean
  readonly mayRead: boolean
}

function ValueInStage({ cell: { state, variable }, entry, isNeeded, isProposed, mayRead }: ValueInStageProps) {
  if (!variable && isProposed) return <StatusBadge status="proposed">{labels.proposed}</StatusBadge>
  if (!variable) {
    return <StatusBadge status={isNeeded ? 'missing-in-production' : 'missing'}>{labels.missing}</StatusBadge>
  }
  if (state === 'unopened') return <StatusBadge status="unreadable">{labels.unopened}</StatusBadge>
  const { chance } = variable
  return (
    <>
      {chance !== undefined && <SplitBar share={chance} text={splitText(variable)} />}{' '}
      {entry && <code>{chance === undefined ? valuesOf(entry) : servedText(valuesOf(entry), variable)}</code>}
      {!entry && chance === undefined && (
        <span className={classes[mayRead ? 'mask' : 'hidden']}>{mayRead ? labels.mask : labels.hidden}</span>
      )}
    </>
  )
}
