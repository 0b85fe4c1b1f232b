/** Texts of drafts and their review. */
import { list } from '../../lib/list.ts'
import { limits } from '@rollkey/contract/rules'
import { countText } from '../../lib/numbers.ts'
import { inStages, variablesText } from '../../data/variables/labels.ts'

function changes(count: number): string {
  return count === 1 ? '1 change' : `${countText(count)} changes`
}

type Stages = Parameters<typeof inStages>[0]

export const labels = {
  projects: (names: readonly string[]) => list.format(names),
  /** `places`: names of stages or projects. */
  bar: (count: number, places: string) => `Draft: ${changes(count)} in ${places}`,
  discard: 'Discard',
  review: 'Review draft',

  discardTitle: 'Discard your draft?',
  discardText: 'The stages stay as they are.',
  discardButton: 'Discard draft',
  keepEditing: 'Keep editing',
  leaveText: (count: number) => `Your draft with ${changes(count)} will be lost.`,

  reviewTitle: 'Review draft',
  reviewDeletionsTitle: 'Review deletions',
  cancel: 'Cancel',
  production: 'Production',
  together: (areProposed: boolean) => `Changes are ${areProposed ? 'applied' : 'saved'} together or not at all.`,
  oneByOne: 'Each stage is saved completely or not at all.',
  save: (count: number, stages: Stages) => `Save ${changes(count)} to ${inStages(stages)}`,
  delete: (names: readonly string[], stages: Stages) => `Delete ${variablesText(names)} from ${inStages(stages)}`,
  saving: (stage: string) => `Saving ${stage}`,
  progress: (saved: number, all: number) => `${saved} of ${all} stages`,
  waiting: (reason: string) => `An open change has it too: “${reason}”.`,
  saved: (count: number, stages: Stages) => `Saved ${changes(count)} to ${inStages(stages)}`,
  deleted: (names: readonly string[], stages: Stages) => `Deleted ${variablesText(names)} from ${inStages(stages)}`,
  showValue: 'Show new value',
  showValueOf: (name: string, stage: string) => `Show new value of ${name} in ${stage}`,
  hideValue: 'Hide new value',
  hideValueOf: (name: string, stage: string) => `Hide new value of ${name} in ${stage}`,
  mask: '••••••',
  arrow: '→',
  hidden: 'hidden value',
  remove: 'Remove',
  removeOf: (name: string, stage: string) => `Remove ${name} in ${stage}`,
  tooMany: `A stage takes at most ${countText(limits.entries)} changed and as many deleted variables at once. Remove some from your draft.`,

  conflictTitle: (stage: string) => `${stage} was changed in the meantime`,
  conflictText: (stage: string) =>
    `Nothing in ${stage} is saved yet, and what you entered is still here. Save again to replace what others did, or remove your change to keep it.`,
}
