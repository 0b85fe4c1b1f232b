/** The options of generated values. */
import { generatedForms, generatedLengths, generatedValue, problemOfGenerated } from '@rollkey/contract/rules'
import { usage } from './cli-error.ts'
import type { Option } from './command.ts'

/** `--alphabet` is a form by itself. */
const forms = generatedForms.filter((form) => form !== 'alphabet')

export interface GeneratedOptions {
  readonly as?: (typeof forms)[number]
  readonly length?: string
  readonly alphabet?: string
}

export const generatedOptions: readonly Option[] = [
  ['--as <form>', 'what is generated: base64url, hex, uuid or passphrase (default: base64url)', forms],
  ['--length <number>', 'characters, or words of a passphrase (default: 43, of hex 64, of a passphrase 8)'],
  ['--alphabet <characters>', 'draw from these characters, such as ABCDEFGHJKLMNPQRSTUVWXYZ23456789'],
]

/** Returns a random value. Throws USAGE. */
export function generatedBy({ as, length, alphabet }: GeneratedOptions): string {
  if (as !== undefined && alphabet !== undefined) throw usage('--alphabet is a form by itself: leave out --as')
  const form: (typeof generatedForms)[number] = alphabet === undefined ? (as ?? 'base64url') : 'alphabet'
  const digits = length !== undefined && /^\d{1,5}$/.test(length) ? Number(length) : Number.NaN
  const options = { form, alphabet, length: length === undefined ? undefined : digits }
  const problem = problemOfGenerated(options)
  if (problem === 'alphabet') throw usage('--alphabet must have at least two characters, each once')
  const range = generatedLengths[form]
  if (problem && !range) throw usage('A UUID has always the same length: leave out --length')
  if (problem) throw usage(`--length must be a whole number from ${range?.min} to ${range?.max}`)
  return generatedValue(options)
}
