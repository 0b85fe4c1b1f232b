/** New values of secrets: random characters of an alphabet, or words that people can read aloud. */
import { randomInt, randomUUID } from 'node:crypto'
import { usage } from './cli-error.ts'
import type { Option } from './command.ts'

const alphabets = {
  base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  hex: '0123456789abcdef',
} as const
const forms = ['base64url', 'hex', 'uuid', 'passphrase'] as const
type Form = (typeof forms)[number]

/** By default, each has 256 bits or more of chance, apart from a UUID with 122 and a passphrase with 128. */
const lengths = { base64url: 43, hex: 64, alphabet: 43, passphrase: 8 } as const
const [minLength, minWords, maxLength] = [8, 4, 1_024]

export interface GeneratedOptions {
  readonly as?: string
  readonly length?: string
  readonly alphabet?: string
}

export const generatedOptions: readonly Option[] = [
  ['--as <form>', 'what is generated: base64url, hex, uuid or passphrase (default: base64url)', forms],
  ['--length <number>', 'characters, or words of a passphrase (default: 43, of hex 64, of a passphrase 8)'],
  ['--alphabet <characters>', 'draw from these characters, such as ABCDEFGHJKLMNPQRSTUVWXYZ23456789'],
]

/** Returns a random value. Throws USAGE. */
export function generatedValue({ as, length, alphabet }: GeneratedOptions): string {
  if (as !== undefined && alphabet !== undefined) throw usage('--alphabet is a form by itself: leave out --as')
  const form = (as ?? 'base64url') as Form
  if (!forms.includes(form)) throw usage(`unknown form (expected ${forms.join(', ')}), or use --alphabet`)
  if (alphabet !== undefined) return drawn(charactersOf(alphabet), lengthOf(length, lengths.alphabet, minLength))
  if (form === 'uuid') {
    if (length !== undefined) throw usage('A UUID has always the same length: leave out --length')
    return randomUUID()
  }
  if (form === 'passphrase')
    return Array.from({ length: lengthOf(length, lengths.passphrase, minWords) }, word).join('-')
  return drawn(Array.from(alphabets[form]), lengthOf(length, lengths[form], minLength))
}

function lengthOf(text: string | undefined, byDefault: number, min: number): number {
  if (text === undefined) return byDefault
  const length = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (length >= min && length <= maxLength) return length
  throw usage(`--length must be a whole number from ${min} to ${maxLength}`)
}

function charactersOf(alphabet: string): string[] {
  const characters = Array.from(alphabet)
  if (characters.length > 1 && new Set(characters).size === characters.length) return characters
  throw usage('--alphabet must have at least two characters, each once')
}

function drawn(characters: readonly string[], length: number): string {
  return Array.from({ length }, () => characters[randomInt(characters.length)] ?? '').join('')
}

const consonants = 'b d f g h j k l m n p r s t v z'.split(' ')
const vowels = 'a i o u'.split(' ')

/** Returns a word of 16 bits that can be pronounced (arXiv:0901.4016). */
function word(): string {
  return [consonants, vowels, consonants, vowels, consonants].map((letters) => drawn(letters, 1)).join('')
}
