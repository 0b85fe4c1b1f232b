/** New values of secrets: random characters of an alphabet, or words that people can read aloud. */

/** What a generated value is: `alphabet` draws from stated characters. */
export const generatedForms = ['base64url', 'hex', 'uuid', 'passphrase', 'alphabet'] as const
/** A form of generated values. */
export type GeneratedForm = (typeof generatedForms)[number]

const alphabets = {
  base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  hex: '0123456789abcdef',
} as const

/**
 * The usual, the least and the largest length of each form: characters, or words of a passphrase. A UUID has always the same one.
 *
 * The usual ones have 256 bits of chance or more, apart from a passphrase with 128. A UUID has 122.
 */
export const generatedLengths = {
  /** Letters, digits, `-` and `_`. */
  base64url: { usual: 43, min: 8, max: 1_024 },
  /** Digits of the base 16. */
  hex: { usual: 64, min: 8, max: 1_024 },
  /** A UUID of version 4. */
  uuid: undefined,
  /** Words. */
  passphrase: { usual: 8, min: 4, max: 1_024 },
  /** Stated characters. */
  alphabet: { usual: 43, min: 8, max: 1_024 },
} as const

/** What to generate. */
export interface GeneratedOptions {
  /** What the value is. */
  readonly form: GeneratedForm
  /** Number of characters, or of words of a passphrase. Absent: the usual one of the form. */
  readonly length?: number | undefined
  /** Characters from which `alphabet` draws, each once. Absent: none, as the other forms have their own. */
  readonly alphabet?: string | undefined
}

/**
 * Returns which of the options keeps a value from being generated; undefined: neither. Never throws.
 *
 * @example
 * problemOfGenerated({ form: 'hex', length: 7 }) // 'length'
 */
export function problemOfGenerated({
  form,
  length,
  alphabet = '',
}: GeneratedOptions): 'length' | 'alphabet' | undefined {
  const characters = Array.from(alphabet)
  if (form === 'alphabet' && (characters.length < 2 || new Set(characters).size < characters.length)) return 'alphabet'
  const range = generatedLengths[form]
  if (length === undefined) return undefined
  return range && Number.isInteger(length) && length >= range.min && length <= range.max ? undefined : 'length'
}

/**
 * Returns a random value.
 *
 * @throws {RangeError} if `problemOfGenerated` returns a problem
 * @example
 * generatedValue({ form: 'hex', length: 32 }) // such as '9f0c5e0f7d6b4a3180f2c4d6e8a9b7c1'
 */
export function generatedValue(options: GeneratedOptions): string {
  const problem = problemOfGenerated(options)
  if (problem) throw new RangeError(`No value can be generated with this ${problem} (see problemOfGenerated)`)
  const { form, alphabet = '' } = options
  const length = options.length ?? generatedLengths[form]?.usual ?? 0
  if (form === 'uuid') return uuid()
  if (form === 'passphrase') return Array.from({ length }, word).join('-')
  return drawn(Array.from(form === 'alphabet' ? alphabet : alphabets[form]), length)
}

/** Returns a UUID of version 4. Browsers have their own only on pages of HTTPS. */
function uuid(): string {
  const digits = (count: number): string => drawn(Array.from(alphabets.hex), count)
  const variant = drawn(['8', '9', 'a', 'b'], 1)
  return [digits(8), digits(4), `4${digits(3)}`, variant + digits(3), digits(12)].join('-')
}

function drawn(characters: readonly string[], length: number): string {
  return Array.from({ length }, () => characters[randomBelow(characters.length)] ?? '').join('')
}

/** Returns a whole number below `count`, each with the same chance: a draw beyond the last multiple of `count` is drawn again. */
function randomBelow(count: number): number {
  const end = 2 ** 32 - (2 ** 32 % count)
  const draw = new Uint32Array(1)
  for (;;) {
    const [number = 0] = crypto.getRandomValues(draw)
    if (number < end) return number % count
  }
}

const consonants = 'b d f g h j k l m n p r s t v z'.split(' ')
const vowels = 'a i o u'.split(' ')

/** Returns a word of 16 bits that can be pronounced (arXiv:0901.4016). */
function word(): string {
  return [consonants, vowels, consonants, vowels, consonants].map((letters) => drawn(letters, 1)).join('')
}
