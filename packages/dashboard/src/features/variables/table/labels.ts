/** Texts of the table of a project's variables. */
import { type Exposure, limits } from '@rollkey/contract/rules'
import type { CellState } from '../../../data/variables/comparison.ts'
import type { Sort, TypeFilter } from '../project-search.ts'
import { fillingText, inStages, type ShownKind, seenKindNames, typeNames } from '../../../data/variables/labels.ts'
import { list } from '../../../lib/list.ts'
import { countText } from '../../../lib/numbers.ts'

/** `reference`: the stage with which a cell is compared. */
const states: Readonly<Record<CellState, (reference: string) => string>> = {
  set: () => 'Set',
  missing: () => 'Missing',
  same: (reference) => `Same as ${reference}`,
  different: (reference) => `Different from ${reference}`,
  unopened: () => 'Cannot be opened',
  hidden: () => 'Set, not compared',
}

type Stages = Parameters<typeof inStages>[0]

function valuesOf(names: readonly string[]): string {
  return names.length === 1 ? `the value of ${names[0]}` : `the values of ${countText(names.length)} variables`
}

export const labels = {
  grid: 'Variables by stage',
  variable: 'Variable',
  lastChange: 'Last change',
  production: 'Production',
  /** The hint of the mark of production. */
  unprotected: 'Production, not protected',
  state: (state: CellState, isProduction: boolean, reference = '') =>
    state === 'missing' && isProduction ? 'Missing in production' : states[state](reference),
  access: 'Access',
  tokens: 'Service tokens',
  clientKeys: 'Client keys',
  trusts: 'Trusts (OIDC)',
  webhooks: 'Webhooks',
  hidden: 'Hidden',
  lockedText: 'Confirm your identity to see this value.',
  locked: (stages: readonly string[]) =>
    `The values of ${list.format(stages)} are protected. Confirm your identity to see them for 15 minutes.`,
  confirm: 'Confirm your identity',
  hiddenText: 'You can’t read values of this stage.',
  mayNotRead: (stageName: string) => `You can’t read values in ${stageName}. Open the variable to see whom to ask.`,
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
  actionOf: (action: string, place: string) => `${action} ${place}`,
  editKeys: (isProposed: boolean) => `Enter ${isProposed ? 'goes on to propose it' : 'saves'}, Escape discards`,
  saveValue: 'Save',
  discardValue: 'Discard',
  nothingHere: (name: string, stageName: string) => `${name} is missing in ${stageName}.`,
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
  changedWhileEdited: (who: string | undefined, name: string, stageName: string, value: string | undefined) => {
    const isShown = value !== undefined && value.length <= 40
    const to = isShown ? ` to ${value === '' ? 'an empty value' : value}` : ''
    return `${who ?? 'Someone'} changed ${name} in ${stageName}${to} while you edited it. Your value is still in the cell: Enter replaces theirs, Escape keeps theirs.`
  },
  switchTitle: (name: string, stageName: string, isOn: boolean) =>
    `Turn ${isOn ? 'on' : 'off'} ${name} in ${stageName}?`,
  switchButton: (stageName: string, isOn: boolean) => `Turn ${isOn ? 'on' : 'off'} in ${stageName}`,
  changeTitle: (name: string, stageName: string) => `Change ${name} in ${stageName}?`,
  changeButton: (stageName: string) => `Save to ${stageName}`,
  transition: (before: string, after: string) => `${before} → ${after}`,
  stageMenu: (name: string, isProduction: boolean) => `${name}${isProduction ? ' Production' : ''}, actions`,
  more: 'More',
  archived: 'Archived',
  newVariable: 'New variable',
  newRoll: 'New roll',
  newStage: 'New stage',
  createStage: 'Create stage',
  stageCreated: (name: string) => `Created ${name}`,
  archivedStages: (count: number) => `Archived stages (${count})`,
  archivedTitle: 'Archived stages',
  archivedText: 'Apps can still read them. Restore a stage to change it.',
  restore: 'Restore',
  restoreStage: (name: string) => `Restore ${name} from the archive`,
  stageRestored: (name: string) => `Restored ${name}`,
  stageArchived: (name: string) => `Archived ${name}`,
  history: 'History',
  compareWith: 'Compare with',
  copyFrom: 'Copy from',
  moveLeft: 'Move left',
  moveRight: 'Move right',
  moved: (name: string) => `Moved ${name}`,
  movedBack: (name: string) => `${name} is back in its place`,
  markProduction: 'Mark as production',
  unmarkProduction: 'Remove production mark',
  marked: (name: string) => `${name} is a production stage now`,
  unmarked: (name: string) => `${name} is no longer a production stage`,
  compare: 'Compare',
  compareStages: 'Compare stages',
  declared: 'Declared',
  showDeclared: 'Go to Declared',
  paste: 'Paste .env',
  showHistory: 'Go to History',
  proposed: 'Proposed',
  waiting: (what: string, reason: string, when: string | undefined) =>
    `${what}: “${reason}”${when === undefined ? '' : `, next ${when}`}.`,
  draft: (effect: string) => `${effect} in your draft`,
  select: (name: string) => `Select ${name}`,
  selectAll: 'Select all that are shown',
  selectSome: 'Select variables',
  selected: (count: number) => `${countText(count)} selected`,
  selection: 'Selected variables',
  clearSelection: 'Clear selection',
  copyToStage: 'Copy to stage',
  copyNames: 'Copy names',
  namesCopied: (count: number) => (count === 1 ? 'Copied 1 name' : `Copied ${countText(count)} names`),
  delete: 'Delete',
  deleteFrom: (count: number, stageName: string) => `Delete ${countText(count)} from ${stageName}`,
  deleteFromAll: (stages: Parameters<typeof inStages>[0]) => `Delete from ${inStages(stages)}`,
  exposure: 'Visibility',
  exposures: {
    secret: 'Secret: shown after a reveal',
    plain: 'Plain: shown to everyone who can read it',
    client: 'Client: public, for web pages and apps',
  },
  exposeTitle: {
    secret: (names: readonly string[]) => `Hide ${valuesOf(names)}?`,
    plain: (names: readonly string[]) => `Show ${valuesOf(names)}?`,
    client: (names: readonly string[]) => `Make ${valuesOf(names)} public?`,
  },
  exposeButton: {
    secret: (stages: Stages) => `Hide in ${inStages(stages)}`,
    plain: (stages: Stages) => `Show in ${inStages(stages)}`,
    client: (stages: Stages) => `Make public in ${inStages(stages)}`,
  },
  exposeText: {
    secret: 'The values are masked, and each reveal is recorded in the audit log.',
    plain: 'Everyone who can read these variables sees the values in all stages, without a reveal in the audit log.',
    client:
      'Anyone with a client key can read the values, and client keys are in web pages and apps. Members see them without a reveal in the audit log.',
  },
  exposed: (exposure: Exposure, names: readonly string[], stages: Stages) =>
    `${names.length === 1 ? `${names[0]} is` : `${countText(names.length)} variables are`} ${exposure} now in ${inStages(stages)}`,

  filterText: 'Filter by name or description',
  filterTextShort: 'Find a variable',
  filterTitle: 'Filter and view',
  any: 'Any',
  show: (count: number) => `Show ${count === 1 ? '1 variable' : `${countText(count)} variables`}`,
  kind: 'Kind',
  type: 'Type',
  status: 'Status',
  statuses: {
    same: 'Same',
    different: 'Different',
    missing: 'Missing',
    draft: 'In your draft',
    proposed: 'Proposed',
    unused: `Not used for ${limits.staleDays} days`,
  },
  missingIn: (stageName: string) => `Missing in ${stageName}`,
  missingCount: (count: number, stageName: string) => `${countText(count)} missing in ${stageName}`,
  kindName: (kind: ShownKind) => seenKindNames[kind],
  typeName: (type: TypeFilter) => (type === 'none' ? 'untyped' : typeNames[type]),
  filling: fillingText,
  fillFrom: (from: string, to: string) => `Copy from ${from} to ${to}`,
  clearFilters: 'Clear filters',
  /** `declared`: how many rows are only declared, so that no stage has them. */
  count: (shown: number, all: number, declared: number) =>
    [
      shown === all
        ? all === 1
          ? '1 variable'
          : `${countText(all)} variables`
        : `${countText(shown)} of ${countText(all)}`,
      ...(declared === 0 ? [] : [`${countText(declared)} declared only`]),
    ].join(', '),

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
  /** Keys of the cells and of their fields, with what they do. */
  nativeKeys: [
    ['up down left right', 'Move between cells'],
    ['home end', 'First or last cell of the row'],
    ['mod+home mod+end', 'First or last cell of the table'],
    ['enter f2', 'Edit a plain value; Enter opens any other variable'],
    ['space', 'Turn a switch on or off'],
    ['tab', 'Keep what was typed in your draft'],
    ['escape', 'Discard what was typed, or clear the selection'],
  ],
  columns: 'Columns',
  stages: 'Stages',
  columnNames: { type: 'Type', description: 'Description', lastChange: 'Last change' },
  density: 'Rows',
  densities: { compact: 'Compact', comfortable: 'Comfortable' },

  comparison: {
    set: () => '',
    same: (stageName: string) => `${states.same(stageName)}.`,
    different: (stageName: string) => `${states.different(stageName)}.`,
    missing: (stageName: string) => (stageName === '' ? 'Missing here.' : `Missing here, set in ${stageName}.`),
    unopened: () => 'The stored value cannot be decrypted. Set it again, or ask the operator.',
    hidden: () => 'Set here. You can’t read this value, so it is not compared.',
  } satisfies Record<CellState, (stageName: string) => string>,
  optional: 'Missing in all stages. It is declared, but not required here.',
  missingValue: (value: string, stageName: string) => `Missing here, set to ${value} in ${stageName}.`,
  differsFrom: (stageName: string, differences: readonly string[]) =>
    `${states.different(stageName)}: ${differences.join(', ')}.`,
  otherValue: 'differs',
  serviceToken: 'Service token',
  changed: (author: string | undefined, when: string) =>
    `Changed${author === undefined ? '' : ` by ${author}`}, ${when}.`,

  legend: 'Legend',
  legendText: (stageName: string) =>
    `Signs compare each stage with ${stageName}: values, type, chance and all other attributes. If ${stageName} lacks a variable, they compare with the first stage that has it, named in the hint. Production shows missing variables in red once half of all are set.`,
  signs: {
    same: (stageName: string) => states.same(stageName),
    different: (stageName: string) => states.different(stageName),
    missing: 'Missing elsewhere, or optional',
    draft: 'In your draft',
    production: 'Production',
    protected: 'Protected stage',
  },

  noMatch: 'No variables match',
  noMatchText: 'No variable passes all filters.',
  noVariables: 'No variables yet',
  noVariablesText: 'Add one, paste a .env file, or import one from the CLI.',
  noStages: 'No stages yet',
  noStagesText: 'Create a stage, such as dev, or import a .env file from the CLI; this also creates the stage.',
  importCommand: 'the command that imports a file',
} as const
