import type { Project, Stage } from '@rollkey/sdk/core'
import { useWindowEvent } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type RefObject,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { endedSide, opens } from '@rollkey/contract/rules'
import type { Digested, RevealedEntry } from '@rollkey/contract'
import { canCopy, copyText } from '../../../lib/browser.ts'
import { useMay } from '../../../session/permissions.ts'
import { PageError } from '../../../service/errors.ts'
import { useScope } from '../../../session/scope.ts'
import { toast } from '../../../ui/toast.tsx'
import { useAuthorName } from '../../../data/history/queries.ts'
import { changeAt, Conflict } from '../../../data/unsaved-changes/change-set.ts'
import { useChanges } from '../../../data/unsaved-changes/changes-context.ts'
import { writeRuleOf } from '../../../data/proposals/write-rule.ts'
import type { Row } from '../../../data/variables/comparison.ts'
import type { OpenTarget } from '../editor/variable-drawer.tsx'
import { digestsQuery, plainQuery } from '../../../data/variables/queries.ts'
import { useStageWrite } from '../../../data/variables/use-stage-write.ts'
import { isExposed } from '../../../data/variables/labels.ts'
import type { PlainValues } from '../plain-values.ts'
import { labels } from './labels.ts'
import type { CellAction, CellTarget, VisibleValues } from './cell-hints.tsx'
import type { Stoppable } from '../../../parts/rolls/stop-dialog.tsx'
import { freshOf, type RevealedByName, useRevealed } from '../use-revealed.ts'

export type PlainEntry = Extract<RevealedEntry, { kind: 'secret' }>

/** Ends editing in the cell. Without a value, nothing is saved. `isDraft`: the value joins the unsaved changes. */
export type EndEditing = (value?: string, isDraft?: boolean) => void

/** What the cells of the table do. It stays the same, so that they need not render again. */
interface CellActions {
  readonly projectSlug: string
  readonly act: (action: CellAction, target: CellTarget) => void
  readonly edited: EndEditing
}

export const CellActionsContext = createContext<CellActions | undefined>(undefined)

export function useCellActions(): CellActions {
  const actions = use(CellActionsContext)
  if (!actions) throw new Error('A cell is shown outside its table.')
  return actions
}

interface Table {
  readonly project: Project
  readonly stages: readonly Stage[]
  readonly rows: readonly Row[]
  readonly plain: PlainValues
  readonly onOpen: OpenTarget
  /** Closes the drawer of a variable. */
  readonly onClose: () => void
}

/** A roll in a stage, of whose values a person is about to copy one. */
export interface CopyPlace {
  readonly target: CellTarget
  readonly stageName: string
}

/** A plain value that a person edits in its cell, as they saw it. */
interface PlainEdit {
  readonly target: CellTarget
  readonly stage: Stage
  readonly before: PlainEntry
  /** The revision of the stage that had it. */
  readonly seen: number
  /** What the person entered before, which could not be saved. */
  readonly draft?: string
}

/** The cell in which a person edits a value. */
export interface EditedCell extends CellTarget {
  /** What was entered before and is not saved. */
  readonly draft: string | undefined
}

/** An edit of production that a person is about to confirm. */
export interface PlainQuestion extends PlainEdit {
  readonly value: string
}

/** Returns whether the value of a cell is edited there: what fits into one line. The form changes templates. */
export function isEditedInPlace({ declaredType, value, template }: PlainEntry): boolean {
  return template === undefined && declaredType !== 'boolean' && declaredType !== 'json' && !value.includes('\n')
}

/** Returns whether the value of a cell is a switch there. */
export function isSwitched({ declaredType, template }: PlainEntry): boolean {
  return template === undefined && declaredType === 'boolean'
}

/** Returns the actions of the cells, besides opening a variable, and what they lead to. */
export function useCells({ project, stages, rows, plain, onOpen, onClose }: Table) {
  const { revealed, show, hide, fetchValues } = useRevealed(project.projectSlug)
  const { pending } = useChanges()
  const { editOf, startEditing, change, edited, ...plainEditing } = usePlainEditing(project.projectSlug)
  const plainIn = ({ name, stageSlug }: CellTarget): RevealedEntry | undefined =>
    plain[stages.findIndex((stage) => stage.stageSlug === stageSlug)]?.values.get(name)
  const { setCopying, ...copyingSide } = useCopying((target) => plainIn(target) ?? fetchValues(target))
  const [stopping, setStopping] = useState<Stoppable>()
  const rightsIn = useRights(project)
  /** The cell whose variable the current click opened. */
  const opened = useRef<CellTarget>(undefined)

  const copy = async (target: CellTarget, stage: Stage, entry: PlainEntry | undefined): Promise<void> => {
    if (!canCopy()) return toast.info(labels.cannotCopy)
    await copyText(entry ? Promise.resolve(entry.value) : fetchValues(target).then(valueOf))
    toast.success(labels.copied(target.name, stage.name))
  }
  const act = async (action: CellAction, target: CellTarget): Promise<void> => {
    const { stage, variable, entry, isLocked } = cellAt({ stages, rows, plain }, target)
    if (action === 'open' && entry && isEditedInPlace(entry) && !rightsIn(target).isReadOnly) opened.current = target
    const isReading = action === 'reveal' || action === 'copy'
    if (stage && !variable && isReading) return toast.info(labels.nothingHere(target.name, stage.name))
    if (action === 'open' || !stage || !variable || !opens(variable)) return onOpen(target)
    const { mayRead, isReadOnly } = rightsIn(target)
    if (isReading && !mayRead) return toast.info(labels.mayNotRead(stage.name))
    const isPlain = isExposed(variable) && !isLocked
    if (action === 'reveal' && !isPlain) {
      return revealed.get(target.name)?.has(target.stageSlug) === true ? hide(target) : show(target, variable)
    }
    if (action === 'copy' && variable.kind === 'secret') return copy(target, stage, entry)
    if (action === 'copy') return setCopying({ target, stageName: stage.name })
    if (action === 'stop' && !isReadOnly) return setStopping(stoppable(project.projectSlug, stage, variable))
    const isDraft = changeAt(pending, target.stageSlug, target.name) !== undefined
    if (isReadOnly || isDraft || !entry || action === 'reveal') return onOpen(target, { isEditing: action === 'edit' })
    const edit = editOf(target, stage, entry)
    if (isSwitched(entry)) return change(edit, String(entry.value !== 'true'))
    if (action === 'edit' && isEditedInPlace(entry)) return startEditing(edit)
    return onOpen(target, { isEditing: action === 'edit' })
  }
  useWindowEvent('mousedown', ({ detail }) => {
    if (detail === 1) opened.current = undefined
  })
  useDoubleClick(opened, (target) => void act('edit', target), onClose)
  useHidden(revealed, hide, rows, stages)
  return {
    revealed,
    ...plainEditing,
    ...copyingSide,
    visibleIn: (target: CellTarget, variable: Digested | undefined): VisibleValues => {
      const shown = revealed.get(target.name)?.get(target.stageSlug)
      const fresh = freshOf(shown, variable)
      return fresh ? { entry: fresh, untilMs: shown?.untilMs } : { entry: plainIn(target), untilMs: undefined }
    },
    stopping,
    endStopping: () => setStopping(undefined),
    actions: useActions(project.projectSlug, act, edited),
  }
}

/** Returns the same object each time, whose functions do what these do now. */
function useActions(
  projectSlug: string,
  act: (action: CellAction, target: CellTarget) => Promise<void>,
  edited: EndEditing,
): CellActions {
  const tryToAct = useStable(
    (action: CellAction, target: CellTarget) => void act(action, target).catch((error: unknown) => toast.error(error)),
  )
  const endEditing = useStable(edited)
  return useMemo(() => ({ projectSlug, act: tryToAct, edited: endEditing }), [projectSlug, tryToAct, endEditing])
}

/** Hides what a person revealed once it changed. Otherwise an undo, which brings the revealed value back, would show it again. */
function useHidden(
  revealed: RevealedByName,
  hide: (target: CellTarget) => void,
  rows: readonly Row[],
  stages: readonly Stage[],
): void {
  useEffect(() => {
    for (const [name, shown] of revealed) {
      const cells = rows.find((row) => row.name === name)?.cells
      for (const [stageSlug, value] of shown) {
        const variable = cells?.[stages.findIndex((stage) => stage.stageSlug === stageSlug)]?.variable
        if (!freshOf(value, variable)) hide({ stageSlug, name })
      }
    }
  }, [revealed, hide, rows, stages])
}

/**
 * Edits a value after a double click on its cell. The first click opens the variable, whose drawer may lie under the second one. Which
 * clicks are a double click is for the system to decide: the drawer may take longer to open than the time between them.
 */
function useDoubleClick(
  opened: RefObject<CellTarget | undefined>,
  edit: (target: CellTarget) => void,
  close: () => void,
): void {
  // What lies under the second click, such as the tab of another stage, does not take it.
  useWindowEvent(
    'click',
    (event) => {
      if (opened.current && event.detail === 2) event.stopPropagation()
    },
    true,
  )
  useWindowEvent('dblclick', (event) => {
    if (!opened.current) return
    event.preventDefault()
    close()
    edit(opened.current)
  })
}

/** Returns what the viewer may do in the stage of a cell. */
function useRights({ projectSlug, archivedAtMs }: Project) {
  const may = useMay()
  return ({ stageSlug }: CellTarget) => {
    const place = { projectSlug, stageSlug }
    return { mayRead: may('read', place), isReadOnly: archivedAtMs !== undefined || !may('write', place) }
  }
}

/** Returns a roll that is not stopped yet, to stop it. */
function stoppable(projectSlug: string, stage: Stage, variable: Digested): Stoppable | undefined {
  const { stageSlug, name: stageName, isProduction, protection } = stage
  const { chance, rules } = variable
  if (chance === undefined || endedSide(variable) === 'b') return undefined
  const place = { projectSlug, stageSlug }
  return { ...variable, place, stageName, isProduction, protection, chance, ruleCount: rules?.length }
}

/** Returns the choice of the value of a roll that is copied. Without a side, nothing is copied. */
function useCopying(entryOf: (target: CellTarget) => RevealedEntry | Promise<RevealedEntry>) {
  const [copying, setCopying] = useState<CopyPlace>()
  const copy = async (side: 'A' | 'B', { target, stageName }: CopyPlace): Promise<void> => {
    if (!canCopy()) return toast.info(labels.cannotCopy)
    await copyText(Promise.resolve(entryOf(target)).then((entry) => sideOf(entry, side)))
    toast.success(labels.copiedSide(side, target.name, stageName))
  }
  const copySide = (side?: 'A' | 'B'): void => {
    setCopying(undefined)
    if (side && copying) copy(side, copying).catch((error: unknown) => toast.error(error))
  }
  return { copying, setCopying, copySide }
}

/** Returns a function that adds a plain value to the unsaved changes. */
function useDraftPlain(projectSlug: string) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const { add } = useChanges()
  return (edit: PlainEdit, value: string): void => {
    const { name, stageSlug } = edit.target
    const contents = queryClient.getQueryData(digestsQuery(scope, { projectSlug, stageSlug }).queryKey)
    const before = contents?.variables.find((each) => each.name === name)
    add([{ stageSlug, name, before, entry: plainEntry(edit, value), seen: edit.seen }])
  }
}

/** Returns the editing of plain values in their cells, which in production asks before it saves. Where a stage takes proposals only, it proposes. */
function usePlainEditing(projectSlug: string) {
  const savePlain = useSavePlain(projectSlug)
  const draftPlain = useDraftPlain(projectSlug)
  const { review } = useChanges()
  const editOf = usePlainEdit(projectSlug)
  const [editing, setEditing] = useState<PlainEdit>()
  const [question, setQuestion] = useState<PlainQuestion>()
  /** Another cell, while the one that is edited has a value that cannot be saved. */
  const [next, setNext] = useState<PlainEdit>()
  const retry = useStable((edit: PlainEdit, value: string) => {
    if (editing) draftPlain(edit, value)
    else setEditing({ ...edit, draft: value })
  })
  /** Saves, or keeps what the person entered in its cell, or if they edit another one by now, as an unsaved change. */
  const trySave = async (edit: PlainEdit, value: string): Promise<void> => {
    const again = await savePlain(edit, value)
    if (again && isEditedInPlace(again.before)) retry(again, value)
  }
  const change = (edit: PlainEdit, value: string): void => {
    if (writeRuleOf(edit.stage, Date.now()).isProposed) {
      draftPlain(edit, value)
      review()
    } else if (edit.stage.isProduction) setQuestion({ ...edit, value })
    else void trySave(edit, value)
  }
  const edited: EndEditing = (value, isDraft = false) => {
    setEditing(undefined)
    if (value === undefined || !editing) return
    if (isDraft) draftPlain(editing, value)
    else change(editing, value)
  }
  const answer = (isConfirmed: boolean): void => {
    setQuestion(undefined)
    if (!question) return
    if (isConfirmed) void trySave(question, question.value)
    // What the person typed stays in its cell.
    else if (isEditedInPlace(question.before)) setEditing({ ...question, draft: question.value })
  }
  const discard = (isConfirmed: boolean): void => {
    setNext(undefined)
    if (isConfirmed) setEditing(next)
  }
  return {
    editing: useMemo(() => editing && { ...editing.target, draft: editing.draft }, [editing]),
    question,
    isDiscarding: next !== undefined,
    editOf,
    startEditing: editing ? setNext : setEditing,
    change,
    edited,
    answer,
    discard,
  }
}

/** Returns the content of a cell. */
function cellAt({ stages, rows, plain }: Pick<Table, 'stages' | 'rows' | 'plain'>, { name, stageSlug }: CellTarget) {
  const at = stages.findIndex((stage) => stage.stageSlug === stageSlug)
  const entry = plain[at]?.values.get(name)
  return {
    stage: stages[at],
    variable: rows.find((row) => row.name === name)?.cells[at]?.variable,
    entry: entry?.kind === 'secret' ? entry : undefined,
    isLocked: plain[at]?.isLocked === true,
  }
}

function sideOf(entry: RevealedEntry, side: 'A' | 'B'): string {
  if (entry.kind === 'secret') return entry.value
  return side === 'A' ? entry.valueA : entry.valueB
}

function valueOf(entry: RevealedEntry): string {
  return entry.kind === 'secret' ? entry.value : ''
}

/** Returns a function that stays the same and calls the latest one, so that rows need not render again. */
function useStable<Args extends readonly unknown[]>(callback: (...args: Args) => void): (...args: Args) => void {
  const latest = useRef(callback)
  useLayoutEffect(() => {
    latest.current = callback
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}

/** Returns a plain value as a person sees it now, to edit it. */
function usePlainEdit(projectSlug: string) {
  const scope = useScope()
  const queryClient = useQueryClient()
  return (target: CellTarget, stage: Stage, before: PlainEntry): PlainEdit => {
    const { queryKey } = digestsQuery(scope, { projectSlug, stageSlug: stage.stageSlug })
    return { target, stage, before, seen: queryClient.getQueryData(queryKey)?.revision ?? 0 }
  }
}

/**
 * Saves a plain value. The table shows it at once. If the save fails, the table shows the stored one again, and the result is what
 * another attempt edits.
 */
function useSavePlain(projectSlug: string) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const { write, confirm } = useStageWrite()
  const authorName = useAuthorName()
  return async (edit: PlainEdit, value: string): Promise<PlainEdit | undefined> => {
    const { target, stage, before, seen } = edit
    const { name } = target
    const place = { projectSlug, stageSlug: stage.stageSlug }
    const put = (next: PlainEntry): void => {
      queryClient.setQueryData(plainQuery(scope, place).queryKey, (all) =>
        all?.map((each) => (each.name === name ? next : each)),
      )
    }
    const storedValue = async (): Promise<string | undefined> => {
      const stored = await queryClient.fetchQuery({ ...plainQuery(scope, place), staleTime: 0 }).catch(() => [])
      const theirs = stored.find((each) => each.name === name)
      return theirs && 'value' in theirs ? theirs.value : undefined
    }
    put({ ...before, value })
    const outcome = await write({ place, content: { entries: [plainEntry(edit, value)] }, seen })
    const [failure] = outcome.failures
    if (!failure) {
      confirm(outcome, savedText(edit, value))
      return undefined
    }
    put(before)
    if (!(failure.error instanceof Conflict)) {
      toast.error(failure.error)
      return edit
    }
    const [newest] = failure.error.changes
    const text = labels.changedWhileEdited(newest && authorName(newest), name, stage.name, await storedValue())
    toast.error(new PageError('REVISION_CONFLICT', text))
    return { ...edit, seen: failure.error.revision }
  }
}

function plainEntry(
  { target: { name }, before: { declaredType } }: PlainEdit,
  value: string,
): Omit<PlainEntry, 'template'> {
  return { name, kind: 'secret', value, ...(declaredType && { declaredType }) }
}

function savedText({ target: { name }, stage, before }: PlainEdit, value: string): string {
  return before.declaredType === 'boolean'
    ? labels.switched(name, stage.name, value === 'true')
    : labels.savedValue(name, stage.name, value)
}
