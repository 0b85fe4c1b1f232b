import { useForm } from '@mantine/form'
import type { RevealedEntry } from '@rollkey/contract'
import { kinds, valuesOf } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { focusFirstProblem, useUnsaved } from '../../../ui/form.tsx'
import { declarationsQuery } from '../../../data/declarations.ts'
import { useScope } from '../../../session/scope.ts'
import { changeAt } from '../../../data/unsaved-changes/change-set.ts'
import { useChanges } from '../../../data/unsaved-changes/changes-context.ts'
import { useProposing } from '../../../parts/proposing/use-proposing.tsx'
import { isIn, type SaveState, useSave } from '../../../data/variables/use-save.ts'
import type { Saved, StageWrite } from '../../../data/variables/write.ts'
import {
  type Draft,
  entryIn,
  type FormStage,
  keepsValues,
  problemsOf,
  raisesExposure,
  saveIn,
  statedEntry,
  withoutFinalBreaks,
} from './draft.ts'
import { labels } from './labels.ts'
import type { Form } from './variable-inputs.tsx'

export interface VariableFormOptions {
  readonly projectSlug: string
  readonly stages: readonly FormStage[]
  readonly initial: Draft
  /** Whether the person also enters a name. */
  readonly isNew?: boolean
  /** Whether the values of `initial` are the stored ones or were entered before, so that an empty one is meant. */
  readonly areKnown?: boolean
  /** Runs after the variable is saved or added to the changes. */
  readonly onDone: (name: string) => void
}

/** Returns the form of a variable, and how to save it or add it to the changes. */
export function useVariableForm({ projectSlug, stages, initial, isNew = false, ...options }: VariableFormOptions) {
  const [areKnown, setKnown] = useState(options.areKnown ?? false)
  const [allowsAnyName, setAllowsAnyName] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const declaredAs = useDeclared(projectSlug)
  const { form, draft } = useDraft(initial, (entered) =>
    problemsOf(entered, { stages, areKnown, initial, isNew, allowsAnyName, declared: declaredAs(entered.name) }),
  )
  const save = useReplacingSave(draft.name, stages, options.onDone)
  const chosen = stages.filter(
    ({ stage: { stageSlug } }) => draft.stages.includes(stageSlug) && !isIn(save.done, { projectSlug, stageSlug }),
  )
  const { pending } = useChanges()
  const hasDraft = chosen.some(({ stage: { stageSlug } }) => changeAt(pending, stageSlug, draft.name) !== undefined)
  const storedIn = chosen.map(({ stage: { stageSlug }, variable }) => ({ stageSlug, variable }))
  const chosenStages = chosen.map(({ stage }) => stage)
  const proposing = useProposing(projectSlug, chosenStages)
  const saveNow = (): void => {
    setAsking(false)
    const saves = savesOf(projectSlug, draft, chosen, areKnown, save.seenNow)
    save.mutate(saves.map((each) => ({ ...each, reason: proposing.reasonIn(each.place.stageSlug) })))
  }
  const submit = form.onSubmit(
    () => {
      if (!proposing.check()) return
      if (raisesExposure(draft, storedIn)) setAsking(true)
      else saveNow()
    },
    (errors) => showProblems(form, errors, proposing),
  )
  useUnsaved(form.isDirty())
  return {
    form,
    /** What the project expects of the variable; undefined: nothing. */
    declared: declaredAs(draft.name),
    save,
    areKnown,
    allowsAnyName,
    setAllowsAnyName,
    isAsking,
    endAsking: () => setAsking(false),
    /** The stages that receive the input. */
    chosen,
    chosenStages,
    proposing,
    isUnchanged: !isNew && !hasDraft && !form.isDirty() && storedIn.every(({ variable }) => variable !== undefined),
    submit,
    saveNow,
    ...useCollecting({ projectSlug, form, draft, chosen, areKnown, save, onDone: options.onDone }),
    /** Continues with the stored values. */
    setKnownValues: (entry: RevealedEntry) => {
      const values = statedValues(entry)
      form.setInitialValues({ ...initial, shared: { ...initial.shared, ...values } })
      form.setValues({ ...draft, shared: { ...draft.shared, ...values } })
      setKnown(true)
    },
  }
}

/** Returns the form, and the draft that it saves. */
function useDraft(initial: Draft, problemsIn: (draft: Draft) => ReturnType<typeof problemsOf>) {
  const form: Form = useForm<Draft>({
    initialValues: initial,
    // A message that appears when a field loses the focus would move the button under the pointer.
    validateInputOnChange: ['name'],
    validate: (values) => problemsIn(withoutFinalBreaks(values, form.getInitialValues())),
  })
  return { form, draft: withoutFinalBreaks(form.values, form.getInitialValues()) }
}

/** Shows what is wrong, a missing reason too, and focuses the first field of it. */
function showProblems(form: Form, errors: object, proposing: ReturnType<typeof useProposing>): void {
  proposing.check()
  focusFirstProblem(form, errors)
}

/** Returns what the project expects of a variable, by its name. */
function useDeclared(projectSlug: string) {
  const { data: declarations } = useQuery(declarationsQuery(useScope(), projectSlug))
  return (name: string) => declarations?.find((each) => each.name === name)
}

/** Returns the values of an entry by their fields; of a template, its texts. */
function statedValues(entry: RevealedEntry): Readonly<Record<string, string | undefined>> {
  const values = valuesOf(statedEntry(entry))
  return Object.fromEntries(kinds[entry.kind].values.map(({ field }, at) => [field, values[at]]))
}

interface Collecting extends Pick<VariableFormOptions, 'projectSlug' | 'onDone'> {
  readonly form: Form
  readonly draft: Draft
  readonly chosen: readonly FormStage[]
  readonly areKnown: boolean
  readonly save: SaveState
}

/** Returns how to add the input to a save of many changes. A hidden value cannot be added. */
function useCollecting({ projectSlug, form, draft, chosen, areKnown, save, onDone }: Collecting) {
  const { add } = useChanges()
  const canCollect =
    areKnown || !chosen.some(({ stage: { stageSlug }, variable }) => keepsValues(draft, { stageSlug, variable }))
  const collect = form.onSubmit(
    () => {
      add(
        chosen.map(({ stage: { stageSlug }, variable, revision }) => ({
          stageSlug,
          name: draft.name,
          before: variable,
          entry: entryIn(draft, stageSlug),
          seen: save.seenNow({ projectSlug, stageSlug }, revision),
        })),
      )
      onDone(draft.name)
    },
    (errors) => focusFirstProblem(form, errors),
  )
  return { canCollect, collect }
}

function isSaved(saved: readonly Saved[], stageSlug: string): boolean {
  return saved.some(({ place }) => place.stageSlug === stageSlug)
}

/** Returns a mutation that saves in stages. The input replaces changes of the variable that wait. */
function useReplacingSave(name: string, stages: readonly FormStage[], onDone: (name: string) => void): SaveState {
  const { pending, remove } = useChanges()
  return useSave({
    textOf: (saved) =>
      labels.saved(
        name,
        stages.map(({ stage }) => stage).filter(({ stageSlug }) => isSaved(saved, stageSlug)),
      ),
    onSaved: (saved) => {
      remove(pending.filter((change) => change.name === name && isSaved(saved, change.stageSlug)))
      onDone(name)
    },
  })
}

/** Returns the saves of the stages that change, production last. */
function savesOf(
  projectSlug: string,
  draft: Draft,
  chosen: readonly FormStage[],
  areKnown: boolean,
  seenNow: SaveState['seenNow'],
): readonly StageWrite[] {
  const ordered = chosen.toSorted((one, other) => Number(one.stage.isProduction) - Number(other.stage.isProduction))
  return ordered.flatMap(({ stage: { stageSlug }, variable, revision }) => {
    const change = saveIn(draft, { stageSlug, variable }, areKnown)
    const place = { projectSlug, stageSlug }
    return change ? [{ ...change, place, seen: seenNow(place, revision) }] : []
  })
}
