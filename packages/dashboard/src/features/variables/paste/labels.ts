/** Texts of the form that pastes a .env file. */
import { limits } from '@rollkey/contract/rules'
import { list } from '../../../lib/list.ts'
import { countText } from '../../../lib/numbers.ts'
import { inStages, variablesText } from '../../../data/variables/labels.ts'

/** How many names a sentence has. */
const maxNamed = 6

export const labels = {
  title: 'Paste a .env file',
  cancel: 'Cancel',
  stages: 'Stages',
  contents: 'Contents of the file',
  contentsHint: 'Lines of NAME=value. Paste them, or drop a file here. Nothing is sent before you save.',
  chooseFile: 'Choose a file',
  tooLarge: `A file has at most ${countText(limits.writeBodyBytes)} bytes. Paste a part of it.`,
  notUtf8: (line: number) =>
    `Line ${countText(line)} of the file is not UTF-8 text. Save the file as UTF-8, then choose it again.`,
  noVariables: 'The text has no variables. Enter lines of NAME=value.',
  notices: (count: number) =>
    count === 1 ? '1 value is not exactly as in the text' : `${countText(count)} values are not exactly as in the text`,
  line: (line: number, text: string) => `Line ${countText(line)}: ${text}`,
  lines: (count: number) => (count === 1 ? '1 line needs attention' : `${countText(count)} lines need attention`),
  mend: (count: number) =>
    count === 1
      ? 'Correct or skip the marked line first.'
      : `Correct or skip the ${countText(count)} marked lines first.`,
  skip: (count: number) => (count === 1 ? 'Skip this line' : 'Skip these lines'),
  skipped: (count: number) => (count === 1 ? '1 line is skipped' : `${countText(count)} lines are skipped`),
  repeated: (name: string, line: number) =>
    `${name} is set again in line ${countText(line)}, and the last one counts. Remove one of them.`,
  wrongValue: (name: string, problem: string) => `${name}: ${problem}`,
  wrongName: (name: string) => `${name} cannot be an environment variable. Change it, or allow any name.`,
  anyName: 'Allow any name',
  preview: 'Preview',
  typeOf: (name: string) => `Type of ${name}`,
  visibilityOf: (name: string) => `Visibility of ${name}`,
  visibilityOfNew: 'Visibility of all new ones',
  mixed: 'Mixed',
  harmless: (count: number) =>
    count === 1 ? '1 looks harmless: make it visible' : `${countText(count)} look harmless: make them visible`,
  harmlessNames: (names: readonly string[]) =>
    list.format(
      names.length > maxNamed
        ? [...names.slice(0, maxNamed - 1), `${countText(names.length - maxNamed + 1)} more`]
        : names,
    ),
  waiting: 'an open change has it too',
  effects: { new: 'New', same: 'Same', changed: 'Replaced' },
  refused: 'Not saved',
  replacedRoll: 'Replaces the A/B roll',
  transition: (before: string, after: string) => `${before} → ${after}`,
  empty: 'empty',
  inStage: (stage: string, text: string) => `${stage}: ${text}`,
  separator: ' · ',
  counts: (stage: string, counts: { readonly new: number; readonly changed: number; readonly same: number }) =>
    `${stage}: ${[
      `${countText(counts.new)} new`,
      `${countText(counts.changed)} replaced`,
      ...(counts.same > 0 ? [`${countText(counts.same)} the same, left out`] : []),
    ].join(', ')}`,
  kept: 'Existing variables keep their types. Types of new ones are guessed from the values: check them.',
  tooMany: (count: number) =>
    `The text has ${countText(count)} variables, and at most ${countText(limits.entries)} are saved at once. Paste fewer, or import the file with the command line: rollkey import FILE.`,
  save: (names: readonly string[], stages: Parameters<typeof inStages>[0]) =>
    names.length === 0 ? 'Save' : `Save ${variablesText(names)} to ${inStages(stages)}`,
  saved: (names: readonly string[], stages: Parameters<typeof inStages>[0]) =>
    `Saved ${variablesText(names)} to ${inStages(stages)}`,
}
