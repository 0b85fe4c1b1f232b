/** The words of the table of a project's variables. */
import type { CellState } from '../comparison.ts'
import type { Sort, TypeFilter } from '../project-search.ts'
import { type ShownKind, shownKindNames } from '../shown-kind.ts'
import { typeNames } from '../labels.ts'
import { countText } from '../../../lib/numbers.ts'

const states: Readonly<Record<CellState, string>> = {
  set: 'Set',
  missing: 'Missing',
  same: 'Same',
  different: 'Different',
  unopened: 'Cannot be opened',
}

export const labels = {
  grid: 'Variables by stage',
  variable: 'Variable',
  lastChange: 'Last change',
  production: 'Production',
  state: (state: CellState, isProduction: boolean) =>
    state === 'missing' && isProduction ? 'Missing in production' : states[state],
  cell: (name: string, stageName: string, facts: readonly string[]) => [`${name} in ${stageName}`, ...facts].join(', '),
  stageMenu: (name: string, isProduction: boolean) => `${name}${isProduction ? ', production' : ''}, actions`,
  more: 'More',
  history: 'History',
  unsaved: (effect: string) => `${effect}, not saved`,
  select: (name: string) => `Select ${name}`,
  selectAll: 'Select all that are shown',
  selected: (count: number) => `${countText(count)} selected`,
  clearSelection: 'Clear selection',

  filterText: 'Filter by name',
  filter: 'Filter',
  kind: 'Kind',
  type: 'Type',
  status: 'Status',
  differing: 'Differs between stages',
  missingIn: (stageName: string) => `Missing in ${stageName}`,
  kindName: (kind: ShownKind) => shownKindNames[kind],
  typeName: (type: TypeFilter) => (type === 'none' ? 'no declared type' : typeNames[type]),
  removeFilter: (filter: string) => `Remove filter: ${filter}`,
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
  columns: 'Columns',
  stages: 'Stages',
  columnNames: { type: 'Type', description: 'Description', lastChange: 'Last change' },
  density: 'Rows',
  densities: { compact: 'Compact', comfortable: 'Comfortable' },

  legend: 'Legend',
  legendText:
    'Each stage is compared with the first stage that has the variable: values, declared type, chance and the other attributes.',
  meanings: {
    set: 'The first stage that has it',
    same: 'The same as there',
    different: 'Another value, type or attribute',
    missingInProduction: 'Missing in a production stage',
    missing: 'Missing in another stage',
    unopened: 'A stored value cannot be decrypted',
    unsaved: 'Changed here, not saved yet',
  },

  noMatch: 'No variables match',
  noMatchText: 'No variable passes all filters.',
  noVariables: 'No variables yet',
  noVariablesText: 'Add one, paste a .env file, or import one from the CLI.',
  noStages: 'No stages yet',
  noStagesText: 'Create a stage, such as dev, or import a .env file from the CLI; this also creates the stage.',
  importCommand: 'the command that imports a file',
} as const
