import type { Stage } from '@rollkey/sdk/core'
import type { DeclaredType } from '@rollkey/contract/rules'
import { ActionIcon, Popover, VisuallyHidden } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { declarationsQuery } from '../../../data/declarations.ts'
import { useScope } from '../../../session/scope.ts'
import { LeaveDialog } from '../../../ui/form.tsx'
import { IconClose, IconDone } from '../../../ui/icons.ts'
import { keepsChanges } from '../../../data/unsaved-changes/changes-context.ts'
import { declaredProblem, valueProblem } from '../editor/draft.ts'
import { labels as editorLabels } from '../editor/labels.ts'
import { useDependents } from '../editor/use-dependents.ts'
import { labels } from './labels.ts'
import { type PlainEntry, useCellActions } from './use-cell-actions.ts'
import classes from './variables-grid.module.css'

interface InlineEditorProps {
  /** The variable and its stage. */
  readonly label: string
  readonly stage: Pick<Stage, 'stageSlug' | 'name'>
  readonly entry: PlainEntry
  /** What the person entered before. */
  readonly draft: string | undefined
  /** Whether the stage takes the value as a proposal only. @default false */
  readonly isProposed?: boolean
  readonly onFocus: () => void
}

/**
 * Edits a plain value in its cell. Enter saves, Escape discards. What the person typed and leaves joins the draft; a value
 * that cannot be saved stays in its field, and the page asks before it is lost.
 */
export function InlineEditor({
  label,
  stage,
  entry: { name, value, declaredType },
  draft = value,
  isProposed = false,
  onFocus,
}: InlineEditorProps) {
  const { edited } = useCellActions()
  const id = useId()
  const [text, setText] = useState(draft)
  const input = useFirstFocus()
  const isDirty = text !== value
  const { values, problem } = useRules(name, declaredType, isDirty ? text : undefined)
  const finish = (isDraft: boolean): void => {
    if (!isDirty) edited()
    else if (problem === null) edited(text, isDraft)
  }
  const leaving = useLeaving(isDirty, () => {
    finish(true)
    return problem === null
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    const isLeaving = event.key === 'Tab' && problem === null
    // The keys of the table are letters here. It moves the focus by the Tab key.
    if (!isLeaving) event.stopPropagation()
    if (event.key === 'Escape') edited()
    // A value that cannot be saved keeps the focus, so that its problem is seen.
    if (event.key === 'Tab' && !isLeaving) event.preventDefault()
    if (event.key !== 'Enter' && !isLeaving) return
    // The cell, which has the focus then, would take the key as well.
    event.preventDefault()
    finish(isLeaving)
  }
  return (
    <>
      <Hinted {...{ id, name, stage, problem }} keys={labels.editKeys(isProposed)}>
        <input
          ref={input}
          className={classes['input']}
          aria-label={labels.newValue(label)}
          aria-invalid={problem !== null}
          aria-describedby={id}
          {...(values.length > 0 && { list: `${id}-values` })}
          inputMode={inputModeOf(declaredType)}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onFocus={({ currentTarget }) => {
            onFocus()
            currentTarget.select()
          }}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={onKeyDown}
          // Another window takes the keyboard, but not the focus of this page.
          onBlur={({ currentTarget }) => document.activeElement !== currentTarget && finish(true)}
        />
      </Hinted>
      <ValueList id={`${id}-values`} values={values} />
      <TouchButtons isValid={problem === null} onSave={() => finish(false)} onDiscard={() => edited()} />
      <LeaveDialog {...leaving} />
    </>
  )
}

function inputModeOf(type: DeclaredType | undefined): 'decimal' | 'text' {
  return type === 'int64' || type === 'float' ? 'decimal' : 'text'
}

/** Returns the ref of the field that has the focus first. */
function useFirstFocus() {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return input
}

/** Returns the values that the project declares for a variable, if it lists them, and what is wrong with a text, if there is one. */
function useRules(name: string, declaredType: DeclaredType | '' = '', text?: string) {
  const { data } = useQuery(declarationsQuery(useScope(), useCellActions().projectSlug))
  const declared = data?.find((each) => each.name === name)
  const problem =
    text === undefined
      ? null
      : // What contradicts the declaration would be refused when it is saved or proposed.
        (valueProblem(declaredType, text, false) ?? declaredProblem(declared, { declaredType }, text))
  return { values: declared?.constraint?.enum ?? [], problem }
}

interface ValueListProps {
  readonly id: string
  readonly values: readonly string[]
}

/** Offers the values that the project declares. */
function ValueList({ id, values }: ValueListProps) {
  return (
    values.length > 0 && (
      <datalist id={id}>
        {values.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </datalist>
    )
  )
}

interface HintedProps extends Pick<InlineEditorProps, 'stage'> {
  readonly id: string
  readonly name: string
  readonly problem: ReactNode
  /** What its keys do. */
  readonly keys: string
  /** The field. */
  readonly children: ReactNode
}

/** Says under a field what is wrong, or which templates another value changes and what its keys do: outside the table, which would cut it in the last row and the last column. */
function Hinted({ id, name, stage, problem, keys, children }: HintedProps) {
  const dependents = useDependents(useCellActions().projectSlug, name, [stage])
  const note = dependents && editorLabels.writesTemplates(dependents.templates, dependents.stages)
  const hint = problem ?? (note === undefined ? keys : `${note} ${keys}`)
  return (
    <>
      <Popover
        opened
        position="bottom-start"
        offset={0}
        withRoles={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        transitionProps={{ duration: 0 }}
      >
        <Popover.Target>{children}</Popover.Target>
        <Popover.Dropdown className={classes['hint']} data-problem={problem !== null || undefined} aria-hidden>
          {hint}
        </Popover.Dropdown>
      </Popover>
      <VisuallyHidden id={id} role="status">
        {hint}
      </VisuallyHidden>
    </>
  )
}

interface TouchButtonsProps {
  readonly isValid: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
}

function TouchButtons({ isValid, onSave, onDiscard }: TouchButtonsProps) {
  return (
    // The input keeps the focus, and with it the keyboard of the phone.
    <span className={classes['touch-buttons']} onPointerDown={(event) => event.preventDefault()}>
      <ActionIcon size={36} tabIndex={-1} aria-label={labels.saveValue} disabled={!isValid} onClick={onSave}>
        <IconDone />
      </ActionIcon>
      <ActionIcon size={36} tabIndex={-1} aria-label={labels.discardValue} onClick={onDiscard}>
        <IconClose />
      </ActionIcon>
    </span>
  )
}

/** Keeps what was typed when the person goes to another page, and asks where that cannot be. `keep` returns whether it did. */
function useLeaving(isDirty: boolean, keep: () => boolean) {
  const { orgSlug } = useScope()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname && !(keepsChanges(orgSlug, next.pathname) && keep()),
    disabled: !isDirty,
    withResolver: true,
  })
  return { opened: status === 'blocked', onDiscard: () => proceed?.(), onStay: () => reset?.() }
}
