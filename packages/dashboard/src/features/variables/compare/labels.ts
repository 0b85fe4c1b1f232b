/** Texts of the comparison of two stages, and of copying between them. */
import { list } from '../../../lib/list.ts'
import type { Group } from './compared.ts'

export const labels = {
  title: 'Compare stages',
  lead: (to: string, isProduction: boolean) =>
    `Select variables to copy them to ${to}${isProduction ? ', a production stage' : ''}.`,
  proposeTitle: (from: string, to: string) => `Copy from ${from} to ${to}`,
  proposedNames: 'Proposed variables',
  variable: 'Variable',
  production: 'Production',
  from: 'From',
  to: 'To',
  swap: 'Swap the stages',
  keys: {
    next: 'Next variable',
    previous: 'Previous variable',
    select: 'Select the variable to copy',
    reveal: 'Reveal or hide the value in both stages',
    copy: 'Go to the button that copies',
  },
  groups: {
    missing: (_from: string, to: string) => `Missing in ${to}`,
    different: () => 'Different',
    extra: (_from: string, to: string) => `Only in ${to}`,
    same: () => 'Same',
  } satisfies Record<Group, (from: string, to: string) => string>,
  none: (from: string, to: string) => `${from} and ${to} have no variables`,
  allSame: (from: string, to: string) => `${from} and ${to} are the same`,
  differs: 'differs',
  hiddenValue: 'not compared',
  notCompared: (stages: readonly string[]) =>
    `You can’t read values in ${list.format(stages)}, so they can’t be compared. They are listed as different.`,
  inTarget: (stage: string, differences: string) => `In ${stage}: ${differences}`,
  selectAll: (group: string) => `Select all: ${group}`,
  select: (name: string) => `Select ${name}`,
  reveal: 'Reveal',
  hide: 'Hide',
  revealOf: (name: string) => `Reveal ${name} in both stages`,
  hideOf: (name: string) => `Hide ${name}`,
  hidden: 'Hidden',
  missing: 'Missing',
  proposed: 'Proposed',
  separator: ' · ',
  oneStage: 'A comparison takes two stages',
  oneStageText: 'Create another stage in the menu of the project.',
} as const
