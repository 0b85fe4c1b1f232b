/** Texts of the table of a project's variables. */
import type { CellState } from '../comparison.ts'
import type { Sort, TypeFilter } from '../project-search.ts'
import { inStages, type ShownKind, shownKindNames, typeNames } from '../labels.ts'
import { countText } from '../../../lib/numbers.ts'

const states: Readonly<Record<CellState, string>> = {
  set: 'Set',
  missing: 'Missing',
  same: 'Same',
  different: 'Different',
  unopened: 'Cannot be opened',
}

type Stages = Parameters<typeof inStages>[0]

function valuesOf(count: number): string {
  return count === 1 ? 'the value of 1 variable' : `the values of ${countText(count)} variables`
}

export const labels = {
  grid: 'Variables by stage',
  variable: 'Variable',
  lastChange: 'Last change',
  production: 'Production',
  state: (state: CellState, isProduction: boolean) =>
    state === 'missing' && isProduction ? 'Missing in production' : states[state],
  access: 'Access',
  protect: (stage: string) => `Protect ${stage}…`,
  unprotect: 'End protection…',
  hidden: 'Hidden',
  hiddenText: 'You can’t read values of this stage.',
  place: (name: string, stageName: string) => `${name} in ${stageName}`,
  cell: (place: string, facts: readonly string[]) => [place, ...facts].join(', '),
  switch: (name: string, stageName: string) => `Turn ${name} on in ${stageName}`,
  reveal: 'Reveal',
  hide: 'Hide',
  hiddenAgain: (seconds: string) => `Hidden again in ${seconds}.`,
  copy: 'Copy',
  edit: 'Edit',
  stop: 'Stop',
  newValue: (place: string) => `New value of ${place}`,
  lastChangeBy: (author: string, when: string) => `${author}, ${when}`,
  actionOf: (action: string, place: string) => `${action} ${place}`,
  editKeys: 'Enter saves, Escape discards',
  copied: (name: string, stageName: string) => `Copied ${name} from ${stageName}`,
  cannotCopy: 'This browser copies only over HTTPS. Reveal the value, then copy it by hand.',
  copySideTitle: (name: string, stageName: string) => `Copy a value of ${name} in ${stageName}`,
  copySide: (side: 'A' | 'B') => `Copy ${side}`,
  copiedSide: (side: 'A' | 'B', name: string, stageName: string) => `Copied ${side} of ${name} from ${stageName}`,
  savedValue: (name: string, stageName: string, value: string) =>
    value.length > 40
      ? `Saved ${name} to ${stageName}`
      : `${name} is ${value === '' ? 'empty' : value} in ${stageName}`,
  switched: (name: string, stageName: string, isOn: boolean) => `${name} is ${isOn ? 'on' : 'off'} in ${stageName}`,
  switchTitle: (name: string, stageName: string, isOn: boolean) =>
    `Turn ${isOn ? 'on' : 'off'} ${name} in ${stageName}?`,
  productionText: 'This is a production stage. Applications see the new value with their next request.',
  switchButton: (stageName: string, isOn: boolean) => `Turn ${isOn ? 'on' : 'off'} in ${stageName}`,
  changeTitle: (name: string, stageName: string) => `Change ${name} in ${stageName}?`,
  changeButton: (stageName: string) => `Save to ${stageName}`,
  transition: (before: string, after: string) => `${before} → ${after}`,
  stageMenu: (name: string, isProduction: boolean) => `${name}${isProduction ? ' Production' : ''}, actions`,
  more: 'More',
  archived: 'Archived',
  newVariable: 'New variable',
  newStage: 'New stage',
  stageCreated: (name: string) => `Created ${name}`,
  archivedStages: (count: number) => `Archived stages (${count})`,
  archivedTitle: 'Archived stages',
  archivedText: 'Apps can still read them. Restore a stage to change it.',
  restore: 'Restore',
  restoreStage: (name: string) => `Restore ${name} from the archive`,
  stageRestored: (name: string) => `Restored ${name}`,
  history: 'History',
  compareWith: 'Compare with',
  copyFrom: 'Copy from',
  moveLeft: 'Move left',
  moveRight: 'Move right',
  moved: (name: string) => `Moved ${name}`,
  markProduction: 'Mark as production',
  unmarkProduction: 'Remove production mark',
  marked: (name: string) => `${name} is a production stage now`,
  unmarked: (name: string) => `${name} is no longer a production stage`,
  compare: 'Compare',
  compareStages: 'Compare stages',
  paste: 'Paste .env',
  showHistory: 'Go to History',
  unsaved: (effect: string) => `${effect}, not saved`,
  select: (name: string) => `Select ${name}`,
  selectAll: 'Select all that are shown',
  selected: (count: number) => `${countText(count)} selected`,
  selection: 'Selected variables',
  clearSelection: 'Clear selection',
  copyToStage: 'Copy to stage',
  copyNames: 'Copy names',
  namesCopied: (count: number) => (count === 1 ? 'Copied 1 name' : `Copied ${countText(count)} names`),
  delete: 'Delete',
  deleteFrom: (count: number, stageName: string) => `Delete ${countText(count)} from ${stageName}`,
  deleteFromAll: 'Delete from all stages',
  exposure: 'Exposure',
  exposures: { secret: 'Secret: shown after a reveal', plain: 'Plain: shown to everyone who can read it' },
  exposeTitle: {
    secret: (count: number) => `Hide ${valuesOf(count)}?`,
    plain: (count: number) => `Show ${valuesOf(count)}?`,
  },
  exposeButton: {
    secret: (stages: Stages) => `Hide in ${inStages(stages)}`,
    plain: (stages: Stages) => `Show in ${inStages(stages)}`,
  },
  exposeText: {
    secret: 'The values are masked, and each reveal is recorded in the audit log.',
    plain: 'Everyone who can read these variables sees the values in all stages, without a reveal in the audit log.',
  },
  exposed: (exposure: 'secret' | 'plain', count: number, stages: Stages) =>
    `${count === 1 ? '1 variable is' : `${countText(count)} variables are`} ${exposure} now in ${inStages(stages)}`,

  filterText: 'Filter by name',
  filter: (chosen: number) => (chosen === 0 ? 'Filter' : `Filter (${countText(chosen)})`),
  filterTitle: 'Filter and view',
  any: 'Any',
  show: (count: number) => `Show ${count === 1 ? '1 variable' : `${countText(count)} variables`}`,
  kind: 'Kind',
  type: 'Type',
  status: 'Status',
  statuses: { same: 'Same', different: 'Different', missing: 'Missing', draft: 'Draft' },
  missingIn: (stageName: string) => `Missing in ${stageName}`,
  kindName: (kind: ShownKind) => shownKindNames[kind],
  typeName: (type: TypeFilter) => (type === 'none' ? 'untyped' : typeNames[type]),
  clearFilters: 'Clear filters',
  count: (shown: number, all: number) =>
    shown === all
      ? all === 1
        ? '1 variable'
        : `${countText(all)} variables`
      : `${countText(shown)} of ${countText(all)}`,

  view: 'View',
  sort: 'Sort by',
  sorts: { name: 'Name', changed: 'Last change', status: 'Status' } satisfies Record<Sort, string>,
  keys: {
    next: 'Next variable',
    previous: 'Previous variable',
    reveal: 'Reveal or hide the value',
    copy: 'Copy the value without showing it',
    edit: 'Edit: a plain value in its cell',
    open: 'Open the variable',
    stop: 'Stop the roll',
    select: 'Select the variable',
    selectRange: 'Select up to the variable',
  },
  columns: 'Columns',
  stages: 'Stages',
  columnNames: { type: 'Type', description: 'Description', lastChange: 'Last change' },
  density: 'Rows',
  densities: { compact: 'Compact', comfortable: 'Comfortable' },

  comparison: {
    set: () => 'The other stages are compared with this one.',
    same: (stageName: string) => `The same as in ${stageName}.`,
    different: (stageName: string) => `Differs from ${stageName}.`,
    missing: (stageName: string) => (stageName === '' ? 'Missing here.' : `Missing here, set in ${stageName}.`),
    unopened: () => 'The stored value cannot be decrypted. Set it again, or ask the operator.',
  } satisfies Record<CellState, (stageName: string) => string>,
  differsFrom: (stageName: string, differences: readonly string[]) =>
    `Differs from ${stageName}: ${differences.join(', ')}.`,
  otherValue: 'differs',
  serviceToken: 'Service token',
  changed: (author: string | undefined, when: string) =>
    `Changed${author === undefined ? '' : ` by ${author}`}, ${when}.`,

  legend: 'Legend',
  legendText:
    'Each stage is compared with the first one that has the variable: values, declared type, chance and the other attributes.',
  signs: {
    same: (stageName: string) => `Same as in ${stageName}`,
    different: (stageName: string) => `Differs from ${stageName}`,
    draft: 'Not saved yet',
  },
  closeLegend: 'Got it',

  noMatch: 'No variables match',
  noMatchText: 'No variable passes all filters.',
  noVariables: 'No variables yet',
  noVariablesText: 'Add one, paste a .env file, or import one from the CLI.',
  noStages: 'No stages yet',
  noStagesText: 'Create a stage, such as dev, or import a .env file from the CLI; this also creates the stage.',
  importCommand: 'the command that imports a file',
} as const
