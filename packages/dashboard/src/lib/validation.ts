/** What the fields of the forms check before anything is sent: the text for the person, or null. */
import { isSlug } from './slug.ts'

type Check = (value: string) => string | null

export const passwordCharacters = { least: 10, most: 128 }

/** The service counts code units, as `length` does. */
export const newPassword: Check = (value) => {
  if (value.length < passwordCharacters.least) return `Use at least ${passwordCharacters.least} characters.`
  return value.length > passwordCharacters.most ? `Use at most ${passwordCharacters.most} characters.` : null
}

export const required =
  (what: string): Check =>
  (value) =>
    value.trim() === '' ? `Enter ${what}.` : null

export const email: Check = (value) => (/^\S+@\S+$/.test(value.trim()) ? null : 'Enter an email address.')

export const slug: Check = (value) =>
  isSlug(value) ? null : 'Use 1 to 63 lower-case letters, digits and dashes, starting with a letter or digit.'

const placeSlugFormat = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Of a project or stage. */
export const placeSlug: Check = (value) =>
  placeSlugFormat.test(value)
    ? null
    : 'Use 1 to 64 letters, digits, dots, underscores and dashes, starting with a letter or digit.'
