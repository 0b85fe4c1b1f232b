/** Texts of the drawer of a variable and its forms. */
import { list } from '../../../lib/list.ts'
import { limits, type Declaration, type DeclaredType, type Exposure, type Kind } from '@rollkey/contract/rules'
import { countText } from '../../../lib/numbers.ts'
import { expectationsOf, inStages, shownValue } from '../../../data/variables/labels.ts'

type Stages = Parameters<typeof inStages>[0]

const exposureNames: Readonly<Record<Exposure, string>> = { secret: 'Secret', plain: 'Plain', client: 'Client' }

/** Returns a value as a button shows it. */
function shortened(value: string): string {
  return shownValue(value, 24)
}

export const labels = {
  newTitle: 'New variable',
  stages: 'Stages',
  production: 'Production',

  addTo: (stage: string) => `Add to ${stage}`,
  copyFrom: (stage: string) => `Copy from ${stage} instead`,
  missingTitle: (name: string, stage: string) => `${name} is missing in ${stage}`,
  missingText: (stage: string) => `Applications that read ${stage} get an error for this name.`,
  unknown: (name: string) => `This project has no variable ${name}`,
  unknownText: 'The variable may have been deleted. The history of each stage still has its changes.',
  backToTable: 'Back to the table',
  deleted: (stage: string) => `Deleted in the meantime. It is no longer in ${stage}.`,
  archived: 'This project is archived, so nothing can be changed.',
  draft: (effect: string) => `${effect} in your draft`,
  draftText: 'Below is what is stored now. Edit to continue with your draft.',

  /** `expected`: the end of a sentence after the name. */
  asDeclared: (expected: string) => `The project declares that it ${expected}.`,
  /** Undefined: any value is as declared. */
  declared: (declaration: Declaration): string | undefined => {
    const all = expectationsOf(declaration)
    return all.length > 0 ? `Declared: it must ${list.format(all)}.` : undefined
  },

  looksBoolean: 'The values look boolean. Without that type, programs get them as text.',
  makeBoolean: 'Make it boolean',
  declaredAs: 'Declared.',
  declaration: 'Declaration',
  declareThis: 'Declare this',

  edit: 'Edit',
  delete: 'Delete',
  openRoll: 'Open roll',
  use: 'Use it',
  lastUsed: (day: string) => `Last evaluated on ${day} (UTC).`,
  neverUsed: 'Not evaluated yet.',
  useWhat: (name: string) => `Read ${name}`,
  copyName: 'Copy name',
  /** `reference`: the stage with which another is compared. */
  compared: {
    same: (reference: string) => `Same as ${reference}`,
    different: (reference: string) => `Different from ${reference}`,
  },
  proposed: 'Proposed',
  missing: 'Missing',
  unopened: 'Cannot be opened',
  hidden: 'Hidden',
  mask: '••••••••',
  noDescription: 'Add a description',
  editDescription: 'Edit description',

  name: 'Name',
  nameHint: 'You can’t rename it later. Press Enter to continue to the value.',
  nameExample: 'DATABASE_URL',
  anyName: 'Allow any name',
  anyNameHint: 'Names with other characters cannot be environment variables.',
  enterName: 'Enter a name.',
  unusualName: 'Use letters, digits and underscores, and begin with a letter or underscore. Or allow any name.',
  nameTaken: (stages: readonly string[]) =>
    `${list.format(stages)} already ${stages.length === 1 ? 'has' : 'have'} a variable with this name.`,
  openTaken: (name: string) => `Open ${name}`,
  chooseStage: 'Choose at least one stage.',
  template: 'Template',
  templateHint: '${NAME} always inserts the present value of the secret NAME of this stage. Write $${ for a plain ${.',
  sources: 'Names to insert',
  writesTemplates: (templates: readonly string[], stages: readonly string[]) =>
    `A new value also changes ${list.format(templates)} in ${list.format(stages)}, because ${templates.length === 1 ? 'this template names' : 'these templates name'} it.`,
  deletesSource: (templates: readonly string[], stages: readonly string[]) =>
    `In ${list.format(stages)}, ${templates.length === 1 ? 'the template' : 'the templates'} ${list.format(templates)} ${templates.length === 1 ? 'uses' : 'use'} this variable. Change or delete ${templates.length === 1 ? 'it' : 'them'} first.`,
  namesSources: 'This template names',
  namedByTemplates: 'Named by the templates',
  valueMode: 'Values',
  sameValue: 'Same in chosen stages',
  valuesFor: (chosen: Stages, others: readonly string[]) => `For ${inStages(chosen)}, not for ${list.format(others)}.`,
  addValueFor: (stage: string) => `Add a value for ${stage}`,
  valuePerStage: 'Per stage',
  kind: 'Kind',
  type: 'Type',
  typeHint: 'The type checks values and generates code.',
  untyped: 'Untyped',
  description: 'Description',
  descriptionHint: 'What it is for. Everyone who can see the project can read this.',
  exposure: 'Visibility',
  exposures: exposureNames,
  kinds: {
    secret: (exposure: Exposure) => `${exposureNames[exposure]} value`,
    ab_roll: (exposure: Exposure) => `${exposureNames[exposure]} A/B roll`,
  } satisfies Record<Kind, (exposure: Exposure) => string>,
  rotating: 'Secret value, being rotated',

  inStage: (label: string, stage: string) => `${label} in ${stage}`,
  detailsOf: (name: string) => `Details of ${name}`,

  keep: 'Keep',
  replaceHint: 'Enter a new value to replace the current one.',
  revealCurrent: 'Reveal current value',
  unchanged: 'Unchanged',
  withTime: 'With time and zone',
  timeExample: '2026-12-31T23:59:59Z',
  enterValue: 'Enter a value.',
  enterBoth: 'Enter both values, or reveal the current ones first.',
  chooseBoth: 'Choose both values, or reveal the current ones first.',
  valueTooLong: `A value has at most ${countText(limits.valueBytes)} bytes.`,
  advice: {
    string: 'Enter a text.',
    boolean: 'Choose true or false.',
    int64: 'Enter a whole number, such as 12.',
    float: 'Enter a number, such as 0.5 or 1e3.',
    date: 'Enter a date that exists, such as 2026-12-31, or with time and zone 2026-12-31T23:59:59Z.',
    json: 'This is not JSON. Check its quotes, commas and brackets.',
  } satisfies Record<DeclaredType, string>,
  tooLarge: 'A whole number has at most 64 bits: up to 9223372036854775807.',

  save: (stages: Stages) => (stages.length === 0 ? 'Save' : `Save to ${inStages(stages)}`),
  saveKeys: 'mod+enter',
  addToDraft: 'Add to draft',
  addHint: 'Saved with the rest of your draft, after you review it.',
  addNeedsValue: 'To add this to your draft, enter or reveal the value first.',
  cancel: 'Cancel',
  saved: (name: string, stages: Stages) => `Saved ${name} to ${inStages(stages)}`,
  deletedFrom: (name: string, stages: Stages) => `Deleted ${name} from ${inStages(stages)}`,
  descriptionSaved: (name: string, stages: Stages) => `Saved the description of ${name} in ${inStages(stages)}`,
  savedAlready: (stages: readonly string[]) => `Saved to ${list.format(stages)}.`,

  rotate: {
    open: 'Rotate…',
    command: (name: string, stage: string) => `Rotate ${name} in ${stage}`,
    title: (name: string, stage: string) => `Rotate ${name} in ${stage}`,
    value: 'New value',
    valueUse: 'Generate one, or paste the one that the other system has issued.',
    pace: 'Who gets it',
    once: 'Everyone at once',
    onceUse: 'From the next request on. If the old value is already invalid, programs fail until they ask again.',
    steps: 'Step by step',
    stepsUse: 'While both values are valid: 1%, 10%, 25%, 50%, then all requests get the new one.',
    during: 'During',
    unit: 'Unit',
    units: { m: 'minutes', h: 'hours', d: 'days', w: 'weeks' },
    wrongCount: 'Enter a whole number from 1.',
    follow: (templates: readonly string[]) =>
      `${list.format(templates)} ${templates.length === 1 ? 'is a template that follows' : 'are templates that follow'} it in the same revision.`,
    notGradual: (templates: readonly string[]) =>
      `It cannot have two values, because ${templates.length === 1 ? 'a template names' : 'templates name'} it: rotate it at once.`,
    rotate: 'Rotate',
    begin: 'Begin to rotate',
    reason: (name: string) => `Rotation of ${name}`,
    rotated: (name: string, stage: string) => `Rotated ${name} in ${stage}`,
    began: (name: string, stage: string) => `Began to rotate ${name} in ${stage}`,
    undone: (name: string, stage: string) => `Everyone gets the old value of ${name} in ${stage}`,
  },

  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: (stages: readonly string[]) =>
    stages.length === 0
      ? 'Choose at least one stage.'
      : `Applications that read it in ${list.format(stages)} get an error from then on.`,
  addDeletion: 'Add deletion to draft',
  deleteFrom: (stages: Stages) => (stages.length === 0 ? 'Delete' : `Delete from ${inStages(stages)}`),

  exposeTitle: (name: string, exposure: Exposure) =>
    exposure === 'client' ? `Make ${name} public?` : `Show the value of ${name}?`,
  exposeText: (exposure: Exposure, stages: Stages) =>
    exposure === 'client'
      ? `Anyone with a client key can read the value in ${inStages(stages)}, and client keys are in web pages and apps. Members see it without revealing it. This is recorded in the audit log.`
      : `Members will see the value in ${inStages(stages)} without revealing it. This is recorded in the audit log.`,
  expose: (exposure: Exposure) => (exposure === 'client' ? 'Make it public and save' : 'Show the value and save'),

  conflictKept: 'Nothing is saved yet, and what you entered is still here.',
  bothValues: (theirs: string, mine: string) => `Now ${shortened(theirs)} · yours ${shortened(mine)}`,
  keepTheirs: (theirs: string) => `Keep ${shortened(theirs)}`,
  replaceTheirs: (theirs: string, mine: string) => `Replace ${shortened(theirs)} with ${shortened(mine)}`,
  keepChange: 'Keep that change',
  replaceChange: 'Replace it with mine',
}
