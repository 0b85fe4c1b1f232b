/** Texts about a variable in a stage: its values, its changes, and why it was not saved. */
import { list } from '../../lib/list.ts'
import { countText } from '../../lib/numbers.ts'
import type { Exposure, GeneratedForm } from '@rollkey/contract/rules'

export const labels = {
  when: { before: 'Before', after: 'After' },
  signs: { before: '−', after: '+' },
  revealHint: 'Revealing is recorded in the audit log.',
  hiddenAgain: 'The value was changed just now, so it is hidden. Reveal it again to see the new one.',
  copy: 'Copy',
  copyOf: (label: string, name: string) => `Copy ${label} of ${name}`,
  valueOf: (label: string, name: string, stage: string) => `${label} of ${name} in ${stage}`,
  copied: (label: string, name: string) => `Copied ${label} of ${name}. The audit log has an entry.`,
  recentChanges: 'Recent changes',
  fullHistory: 'Full history',
  parsedJson: 'parsed JSON',
  exposureHints: {
    secret: 'Masked. Each reveal is recorded in the audit log.',
    plain: 'Visible to members without revealing.',
    client: 'Public: web pages and mobile apps read it with client keys, which anyone may have.',
  } satisfies Record<Exposure, string>,
  notSavedIn: (stages: readonly string[]) => `Not saved to ${list.format(stages)}`,
  conflictIn: (stage: string) => `Not saved to ${stage}: this variable was changed in the meantime`,
  conflictTitle: 'This variable was changed in the meantime',
  conflictText:
    'Nothing is saved yet, and what you entered is still here. Save again to replace that change, or cancel to keep it.',
  generate: {
    title: 'Generate a value',
    button: 'Generate a value',
    form: 'Form of the generated value',
    forms: {
      base64url: 'Letters, digits, - and _',
      hex: 'Hexadecimal',
      uuid: 'UUID',
      passphrase: 'Passphrase',
      alphabet: 'Own alphabet',
    } satisfies Record<GeneratedForm, string>,
    length: 'Characters',
    words: 'Words',
    wrongLength: (min: number, max: number) => `From ${countText(min)} to ${countText(max)}.`,
    alphabet: 'Alphabet',
    alphabetExample: 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789',
    wrongAlphabet: 'Enter at least two characters, each once.',
  },
  changedNotice: 'What you entered is still here; saving it asks first.',
} as const
