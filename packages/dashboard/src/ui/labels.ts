/** Texts of the shared components. */
import { countText } from '../lib/numbers.ts'

export const labels = {
  product: 'Rollkey',
  skip: 'Skip to content',
  loading: 'Loading',
  tryAgain: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  undo: 'Undo',
  undone: 'Undone',
  nothingToUndo: 'Nothing to undo here. The history has earlier changes.',
  undoByButton: 'No key changes who has access. Press the button Undo.',
  redo: 'Redo',
  nothingToRedo: 'Nothing to redo here.',
  redoByButton: 'No key changes who has access. Press the button Redo.',
  dismiss: 'Dismiss',
  typeToConfirm: (text: string) => `Type ${text} to confirm`,
  part: (whole: string, part: string) => `${whole}: ${part}`,

  revoke: {
    button: 'Revoke',
    name: (what: string) => `Revoke ${what}`,
    title: (what: string) => `Revoke ${what}?`,
    confirm: (what: string) => `Revoke ${what}`,
    done: (what: string) => `Revoked ${what}`,
  },

  copy: 'Copy',
  copyOf: (what: string) => `Copy ${what}`,
  /** Of a value without characters. */
  empty: 'empty',
  endsWithBreak: 'Ends with a line break',
  copied: 'Copied',
  /** Every page and the documentation call the client `rollkey`, however it is installed. */
  commandLine: (line: string) => `rollkey ${line}`,
  download:
    'This downloads the command-line client from this service, checks it and calls it rollkey in this terminal. It needs Node 20.19 or newer.',

  reveal: 'Reveal',
  revealOf: (what: string) => `Reveal ${what}`,
  hide: 'Hide',
  hideOf: (what: string) => `Hide ${what}`,
  hiddenAgain: (seconds: string) => `Hidden again in ${seconds}`,

  older: {
    show: 'Show older',
    shown: (count: number) => `The latest ${countText(count)} are shown.`,
    end: 'These are all.',
  },
  filter: (chosen: number) => (chosen === 0 ? 'Filter' : `Filter (${countText(chosen)})`),
  showFiltered: 'Show',
  clearFilters: 'Clear filters',
  clear: (filter: string) => `Clear ${filter}`,
  chosen: (filter: string, options: readonly string[]) => `${filter}: ${options.join(', ')}`,

  leave: {
    title: 'Discard what you entered?',
    text: 'It is not saved.',
    discard: 'Discard',
    stay: 'Keep editing',
  },
  places: {
    organization: { name: 'Organization name', slug: 'Organization slug' },
    project: { name: 'Project name', slug: 'Project slug' },
    stage: { name: 'Stage name', slug: 'Stage slug' },
  },
  slugHint: 'The short name that commands and requests use. You can’t change it later.',
  saveForm: 'Save the form',
  password: 'Password',
  passwordLength: (min: number, max: number) => `${min} to ${max} characters`,
  passwordStrengths: {
    common: 'Attackers try this password first. Use several words.',
    weak: 'Weak. Use several words or more characters.',
    fair: 'Fair. Longer is stronger.',
    strong: 'Strong',
  },
  showPassword: 'Show what is typed',

  keys: { control: 'Ctrl', shift: 'Shift', escape: 'Esc', home: 'Home', end: 'End', space: 'Space', tab: 'Tab' },
  kinds: { secret: 'Secret value', plain: 'Plain value', client: 'Client value', ab_roll: 'A/B roll' },
  sideA: 'A',
  allA: 'all A',
  allB: 'all B',
  total: 'Total',

  nextEntry: 'Next entry',
  previousEntry: 'Previous entry',
  details: 'Details',
  closeDetails: 'Close details',
} as const

/** Address of the documentation, which the service itself serves in its version. */
export const documentationUrl = '/docs/'
