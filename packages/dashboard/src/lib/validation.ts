import { labels } from './labels.ts'

/** Checks a field before the form is sent. Returns the text for the person, or null. */
type Check = (value: string) => string | null

export const passwordCharacters = { min: 10, max: 128 }

/** Checks the length of a new password. The service counts code units, like `length`. */
export const newPassword: Check = (value) => {
  const { min, max } = passwordCharacters
  if (value.length < min) return labels.tooShort(min)
  return value.length > max ? labels.tooLong(max) : null
}

/** Returns a check whose text is shown for an empty input. */
export const required =
  (text: string): Check =>
  (value) =>
    value.trim() === '' ? text : null

/** The service takes an address with a domain of two parts or more. */
export const email: Check = (value) => (/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(value.trim()) ? null : labels.email)

export const slug: Check = (value) => (isSlug(value) ? null : labels.organizationSlug)

const placeSlugFormat = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Checks the slug of a project or stage. */
export const placeSlug: Check = (value) => (placeSlugFormat.test(value) ? null : labels.placeSlug)

const format = /^[a-z0-9][a-z0-9-]{0,62}$/

export function isSlug(text: string): boolean {
  return format.test(text)
}

/** Latin letters that Unicode does not decompose. */
const spellings: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}

/** Returns a slug made from a name, such as `acme-inc` from "Acme, Inc.". Empty if no part of the name can be in a slug. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/\p{Letter}/gu, (letter) => spellings[letter] ?? letter)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-|-$/g, '')
}

// cspell:ignore passwort qwert letmein
type PasswordStrength = 'weak' | 'fair' | 'strong'

/** Parts that attackers try first, with any digits and signs around them. */
const guessable = /password|passwort|qwert|asdf|letmein|welcome|rollkey|admin|1234|abcd/i

/**
 * Returns a rough estimate for the person who chooses a password. Length counts most (NIST SP 800-63B, appendix A); characters that
 * repeat and parts that attackers try first count little. The service decides by length and its list of common passwords.
 *
 * @example
 * passwordStrength('correct horse battery') // 'strong'
 */
export function passwordStrength(password: string): PasswordStrength {
  const rest = password.replace(guessable, '')
  const distinct = new Set(rest).size
  if (rest.length < 10 || distinct < 6) return 'weak'
  return rest.length >= 16 && distinct >= 8 ? 'strong' : 'fair'
}
