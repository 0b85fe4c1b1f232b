/** Texts of the history. */
import type { HistoryChange } from '@rollkey/sdk/core'
import { kinds } from '@rollkey/contract/rules'
import type { Part } from '../../ui/sentence.tsx'
import { list } from '../../lib/list.ts'
import { countText, percentText, unbroken } from '../../lib/numbers.ts'
import { differences, valueTransition } from '../../data/variables/comparison.ts'
import { labels as variableLabels } from '../../data/variables/labels.ts'
import { type EffectName, effectNames } from './history-search.ts'
import type { ChangedValues } from '../../data/history/queries.ts'

const verbs: Readonly<Record<EffectName, string>> = {
  updated: 'changed',
  created: 'added',
  deleted: 'deleted',
  restored: 'restored',
}

/**
 * Returns what follows the person in a sentence such as "Ada changed API_KEY and added 2 variables". `values`: those before and after
 * the changes that people see.
 */
export function sentenceOf(changes: readonly HistoryChange[], values: readonly ChangedValues[] = []): readonly Part[] {
  const single = changes.length === 1 && changes[0] && singleSentence(changes[0], values)
  if (single) return single
  const isRestore = changes.some(({ change }) => change === 'restored')
  // A restore may also delete, which is not what the person set out to do.
  if (isRestore && changes.length > 1) return [`restored an earlier state of ${variablesText(changes.length)}`]
  const byEffect = Map.groupBy(changes, ({ change }) => change)
  const clauses = effectNames.flatMap((effect) => {
    const group = byEffect.get(effect)
    return group ? [[`${verbs[effect]} `, ...namesOf(group)]] : []
  })
  return clauses.flatMap((clause, at) => (at === 0 ? clause : [at === clauses.length - 1 ? ' and ' : ', ', ...clause]))
}

/** What differs where people do not see the value. */
const hiddenValues = kinds.secret.values.map(({ label }) => variableLabels.fact(label, variableLabels.valueChanged))

/** Returns the sentence of one change of a variable that stayed there, with all that is known about it. */
function singleSentence(change: HistoryChange, values: readonly ChangedValues[]): readonly Part[] | undefined {
  const { revision, name, before, kind, digests, chance } = change
  if (!before || !kind || !digests) return undefined
  const seen = values.find((each) => each.revision === revision && each.name === name)
  const found = differences(
    before,
    { ...change, kind, digests },
    (role) => valueTransition(role, seen?.before, seen?.after) ?? variableLabels.valueChanged,
  )
  const [first] = found
  if (first === undefined || (found.length === 1 && hiddenValues.includes(first))) return undefined
  const isChance = found.length === 1 && before.chance !== chance
  if (change.change === 'updated' && isChance && before.chance !== undefined && chance !== undefined) {
    return [
      'set the chance of ',
      { name },
      ` from ${unbroken(percentText(before.chance))} to ${unbroken(percentText(chance))}`,
    ]
  }
  return [`${verbs[change.change]} `, { name }, `: ${found.join(', ')}`]
}

function namesOf(changes: readonly HistoryChange[]): readonly Part[] {
  const [one, two] = changes
  if (!one || changes.length > 2) return [variablesText(changes.length)]
  return two ? [{ name: one.name }, ' and ', { name: two.name }] : [{ name: one.name }]
}

function variablesText(count: number): string {
  return count === 1 ? '1 variable' : `${countText(count)} variables`
}

const effectWords = { changes: 'changed', returns: 'brought back', goes: 'deleted' } as const

/** What a restore does to a variable. */
export interface HasEffect {
  readonly effect: keyof typeof effectWords
}

function effectCounts(effects: readonly HasEffect[]): string {
  const byEffect = Map.groupBy(effects, ({ effect }) => effect)
  return (['changes', 'returns', 'goes'] as const)
    .flatMap((effect) => {
      const count = byEffect.get(effect)?.length
      return count === undefined ? [] : [`${countText(count)} ${effectWords[effect]}`]
    })
    .join(', ')
}

/** Texts of what a change did to a variable. */
export const changeLabels = {
  deleted: 'deleted',
  created: (facts: readonly string[]) => `created: ${facts.join(', ')}`,
  restored: 'restored',
  restoredTo: (words: string) => `restored: ${words}`,
  unknown: 'changed; the former state is no longer kept',
  changed: 'changed',
  unchanged: 'saved again as it was',
  valueAt: (revision: number) => `set back to that of revision ${revision}`,
  valueBefore: (revision: number) => `set back to that before revision ${revision}`,
} as const

export const labels = {
  fromChange: 'By the change',
  proposedBy: (name: string) => `proposed by ${name}`,
  approvedBy: (names: readonly string[]) => `approved by ${list.format(names)}`,
  title: (project: string) => `History of ${project}`,
  lead: 'Who changed what, and when.',
  noStages: 'No stages yet, so there are no changes.',
  stages: 'Stages',
  production: 'Production',
  archived: (stage: string) => `${stage} (archived)`,

  variable: 'Variable',
  filterByName: 'Filter by name',
  showAllVariables: 'Show all variables',
  person: 'Person',
  change: 'Change',
  changes: { updated: 'Changed', created: 'Added', deleted: 'Deleted', restored: 'Restored' },
  count: (shown: number, all: number) => `${countText(shown)} of the latest ${countText(all)} revisions`,

  list: (what: string) => `Changes of ${what}`,
  nothingYet: 'No changes yet',
  nothingYetText: 'Every change appears here, with who made it and when.',
  nothingOfName: (name: string, stage: string) => `${name} never changed in ${stage}`,
  nothingOfNameText: 'Check the name: upper and lower case count.',
  nothingFound: 'No changes match the filters',
  nothingFoundText: 'Clear a filter to see more.',

  revision: (revision: number) => `Revision ${revision}`,
  number: (revision: number) => `#${revision}`,
  current: 'Current',
  noRevision: (revision: number) =>
    `Revision ${revision} is not in this history. It may be too old, or of another variable.`,
  isArchived: 'Archived stages are read-only, so nothing can be restored.',
  showAll: (count: number) => `Show all ${countText(count)}`,
  chanceOfA: (when: 'before' | 'after') => `Chance of A ${when}`,
  sameValue: 'Still the current value:',
  value: (label: string | undefined, name: string, stage: string) =>
    `${label === undefined ? '' : `${label} of `}${name} in ${stage}`,

  restoreButton: 'Restore to here…',
  restoreName: (what: string, revision: number) => `Restore to here: ${what} at revision ${revision}`,
  restoreVariable: 'Restore…',
  restoreVariableName: (name: string) => `Restore ${name} to this revision`,
  isPresent: (what: string) => `${what} is still as it was at this revision.`,
  /** The undo of a revision. Of the newest one, there is nothing else that an undo could take back. */
  undoButton: (isNewest: boolean) => (isNewest ? 'Undo…' : 'Undo only this…'),
  undoName: (revision: number, isNewest: boolean) => `Undo ${isNewest ? '' : 'only this: '}revision ${revision}…`,
  changedSince: (names: readonly string[]) =>
    names.length === 1
      ? `${names[0]} changed again since then. That is undone too.`
      : `${variablesText(names.length)} changed again since then. That is undone too.`,
  undoRevision: (revision: number) => `Undo revision ${revision}`,
  restoreTitle: (what: string, revision: number) => `Restore ${what} to revision ${revision}`,
  restoreEffects: 'What changes',
  tooMany: (most: number, revision: number) =>
    `More than ${countText(most)} changes were made since revision ${revision}, too many to preview. Restore single variables.`,
  restoreIsSafe: (unchanged: number) => {
    const others = unchanged === 1 ? '1 other stays as it is. ' : `${countText(unchanged)} others stay as they are. `
    return `${unchanged === 0 ? '' : others}This creates a new revision, so nothing is lost.`
  },
  effects: {
    unknown: 'the former state is no longer kept',
    unreadable: 'the former value can’t be opened',
    goes: 'deleted',
    returns: 'comes back',
  },
} as const

/** Texts of what brings earlier states back. */
export interface ReversalLabels {
  readonly title: string
  /** What it does, as opposed to the other one. `effects`: empty while they are unknown. */
  readonly meaning: (effects: readonly HasEffect[]) => string
  readonly button: (effects: readonly HasEffect[]) => string
  readonly done: string
  readonly nothing: string
}

/** Returns the texts of a restore. `what`: the name of the stage, or of the variables alone. */
export function restoreLabels(what: string, revision: number, isStage: boolean): ReversalLabels {
  const title = labels.restoreTitle(what, revision)
  return {
    title,
    meaning: () =>
      isStage
        ? `Brings the whole stage back to revision ${revision}. All later changes are undone.`
        : `Brings only ${what} to the state at revision ${revision}.`,
    button: (effects) => `${title} (${effectCounts(effects)})`,
    done: `Restored ${what} to revision ${revision}`,
    nothing: `There is no difference from revision ${revision} in ${what}, so there is nothing to restore.`,
  }
}

/** Returns the texts of the undo of one revision. `what`: the variables that it changed. */
export function undoLabels(what: string, revision: number, stage: string): ReversalLabels {
  const title = labels.undoRevision(revision)
  const meanings = {
    goes: `Deletes ${what} from ${stage}, which had none before revision ${revision}.`,
    returns: `Brings ${what} back to ${stage}, as before revision ${revision}.`,
    changes: `Undoes only revision ${revision}. This brings ${what} back to revision ${revision - 1}.`,
  }
  return {
    title,
    meaning: (effects) => {
      const [effect, other] = new Set(effects.map((each) => each.effect))
      return other === undefined ? meanings[effect ?? 'changes'] : meanings.changes
    },
    button: (effects) => `${title} (${effectCounts(effects)})`,
    done: `Undid revision ${revision}`,
    nothing: `There is no difference from revision ${revision - 1} in ${what}, so there is nothing to undo.`,
  }
}
