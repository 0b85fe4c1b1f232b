/** Texts of the page of what a project expects of its variables. */
import type { ConstraintFormat, DeclarationProblem, Exposure, Required } from '@rollkey/contract/rules'
import { list } from '../../lib/list.ts'
import { countText } from '../../lib/numbers.ts'

function variablesText(count: number): string {
  return count === 1 ? '1 variable' : `${countText(count)} variables`
}

export const labels = {
  title: (project: string) => `Declared in ${project}`,
  lead: 'What this project expects of its variables, and which stages contradict it.',
  manage: 'see what is declared',
  list: 'Declarations',
  variable: 'Variable',
  expected: 'Expected',
  required: 'Required',
  problems: 'Problems',
  owner: 'Owner',
  rotation: 'New value',
  rotates: (days: number) => (days === 1 ? 'every day' : `every ${countText(days)} days`),
  /** `expectation`: the end of a sentence after "must". */
  must: (expectation: string) => `must ${expectation}`,
  exposureAtMost: {
    secret: 'stays secret',
    plain: 'at most plain',
    client: 'may be read with client keys',
  } satisfies Record<Exposure, string>,
  example: (example: string) => `such as ${example}`,
  anything: 'Anything',
  nowhere: 'Nowhere',
  requiredIn: (required: Required) =>
    required === 'all' ? 'All stages' : required === 'production' ? 'Production' : list.format(required),
  problem: (problem: DeclarationProblem['problem'], stages: readonly string[], expected: string) =>
    problem === 'missing' ? `Missing in ${list.format(stages)}` : `${list.format(stages)}: ${expected}`,
  noProblem: 'None',
  notCompared: (stages: readonly string[]) =>
    `The values of ${list.format(stages)} were not compared: you can’t read them, or must confirm your identity first.`,
  undeclared: 'Not declared',
  undeclaredLead: 'Stages have these variables without a declaration. That is allowed.',
  declareNamed: (name: string) => `Declare ${name}`,

  none: 'Nothing is declared yet',
  noneText:
    'Say which variables the application needs and what they may be. Malformed values are then refused, and missing ones show before a deployment.',
  noneCommand: 'the command that finds what code reads',
  noneCommandText: 'rollkey declare from-code src -o rollkey.declarations.json',

  declare: 'Declare a variable',
  edit: (name: string) => `Declaration of ${name}`,
  submit: 'Declare',
  save: 'Save declaration',
  done: (name: string) => `Declared ${name}`,
  text: 'A declaration changes no stored value. From then on, values that contradict it are refused.',
  form: {
    name: 'Name',
    nameMissing: 'Enter the name of the variable.',
    nameTaken: 'It is declared already. Change that declaration.',
    type: 'Type',
    anyType: 'Any text',
    description: 'Description',
    exposure: 'Widest visibility',
    exposures: { '': 'Any', secret: 'Secret', plain: 'Plain', client: 'Client' } satisfies Record<
      Exposure | '',
      string
    >,
    required: 'Required in',
    places: { nowhere: 'No stage', all: 'All stages', production: 'Production stages', some: 'Selected stages' },
    stages: 'Stages',
    stagesMissing: 'Select at least one stage.',
    format: 'Format',
    anyFormat: 'Any',
    formats: {
      uri: 'URI',
      email: 'Email address',
      port: 'Port',
      hostname: 'Host name',
      uuid: 'UUID',
      pem: 'PEM',
      base64: 'Base64',
    } satisfies Record<ConstraintFormat, string>,
    pattern: 'Pattern',
    patternUse: 'Regular expression that must match a part of the value. With ^ and $, the whole value.',
    enum: 'Only these values',
    enumUse: 'One per line. They are not secret.',
    minLength: 'Minimum length',
    maxLength: 'Maximum length',
    minimum: 'Minimum',
    maximum: 'Maximum',
    numberWrong: 'Enter a number.',
    lengthWrong: 'Enter a whole number of at least 0.',
    more: 'Constraints',
    owner: 'Owner',
    ownerUse: 'Person or group that is responsible, such as Payments',
    rotateEveryDays: 'New value every … days',
    daysWrong: 'Enter a whole number of days of at least 1.',
    example: 'Example',
    exampleUse: 'For people without access, so it must not be secret.',
    wrong: (problem: string) => `This ${problem}.`,
  },
  delete: {
    button: 'Delete',
    title: (name: string) => `Delete the declaration of ${name}?`,
    text: 'The variable stays. Its values are no longer checked.',
    confirm: 'Delete declaration',
    done: (name: string) => `Deleted the declaration of ${name}`,
  },

  copy: 'Copy JSON Schema',
  copied: 'Copied the JSON Schema of the declarations',
  download: 'Download',
  import: {
    button: 'Import',
    title: 'Import a JSON Schema',
    text: 'The document replaces all declarations of the project. You see what changes before anything is stored.',
    document: 'JSON Schema',
    documentUse: 'Of rollkey.declarations.json, or one with “properties” and “required”.',
    notJson: 'This is not JSON. Check its quotes, commas and brackets.',
    wrong: (problem: string) => `Correct the document: ${problem}.`,
    review: 'Review',
    same: 'The project declares exactly this already.',
    added: (names: readonly string[]) => `Declares ${list.format(names)}`,
    changed: (names: readonly string[]) => `Changes ${list.format(names)}`,
    removed: (names: readonly string[]) => `Deletes the declarations of ${list.format(names)}`,
    changes: 'What changes',
    contradicts: 'What contradicts it then',
    fits: 'Nothing in the stages contradicts it.',
    store: 'Replace declarations',
    back: 'Edit document',
    done: (count: number) => `Declared ${variablesText(count)}`,
  },
} as const
