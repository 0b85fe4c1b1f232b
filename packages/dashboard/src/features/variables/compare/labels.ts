/** Texts of the comparison of two stages, and of copying between them. */
import type { Group } from './compared.ts'

export const labels = {
  title: 'Compare stages',
  lead: (to: string) => `Select variables to copy them to ${to}.`,
  variable: 'Variable',
  production: 'Production',
  from: 'From',
  to: 'To',
  swap: 'Swap the stages',
  groups: {
    missing: (_from: string, to: string) => `Missing in ${to}`,
    different: () => 'Different',
    extra: (_from: string, to: string) => `Only in ${to}`,
    same: () => 'Same',
  } satisfies Record<Group, (from: string, to: string) => string>,
  none: (from: string, to: string) => `${from} and ${to} have no variables`,
  allSame: (from: string, to: string) => `${from} and ${to} are the same`,
  differs: 'differs',
  inTarget: (stage: string, differences: string) => `In ${stage}: ${differences}`,
  selectAll: (group: string) => `Select all: ${group}`,
  select: (name: string) => `Select ${name}`,
  reveal: 'Reveal',
  hide: 'Hide',
  revealOf: (name: string) => `Reveal ${name} in both stages`,
  hideOf: (name: string) => `Hide ${name}`,
  hidden: 'Hidden',
  missing: 'Missing',
  separator: ' · ',
  oneStage: 'A comparison takes two stages',
  oneStageText: 'Create another stage in the menu of the project.',
} as const
