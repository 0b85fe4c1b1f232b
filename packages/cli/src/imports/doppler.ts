import { unreadable, type Entry, type Reader } from './entry.ts'
import { joinNames } from '../formats/refuse.ts'
import { hasText, isObject, json, parseJson } from './json.ts'

/** Names that Doppler adds to every config: its origin. */
const originNames = ['DOPPLER_PROJECT', 'DOPPLER_CONFIG', 'DOPPLER_ENVIRONMENT']

function isDescribed(value: unknown): value is { readonly computed?: unknown } {
  return isObject(value) && 'computed' in value
}

export function isDoppler(value: unknown): boolean {
  if (!isObject(value)) return false
  const secrets = Object.values(value)
  return originNames.every((name) => name in value) || (secrets.length > 0 && secrets.every(isDescribed))
}

/**
 * Reads `doppler secrets download --no-file --format json`, an object of names and values, or `doppler secrets --json`, an
 * object of `{ computed, computedVisibility, note, … }` by name, in which `computed` has its references resolved. Leaves out
 * Doppler's own three names, and notes. Source: DopplerHQ/cli, pkg/models/parse.go and tests/e2e (download), basecamp/kamal's adapter
 * test (--json).
 */
export const doppler: Reader = (text, file, note) => {
  const value = parseJson(text, file)
  const isByName = isObject(value) && Object.values(value).every(isDescribed)
  const entries = isByName
    ? Object.entries(value).map(([name, secret]) => described(name, secret, file))
    : json(text, file, note)
  const omitted = entries.filter(({ name }) => originNames.includes(name)).map(({ name }) => name)
  if (omitted.length > 0)
    note(`${file}: These names, which Doppler adds to every config, are left out: ${omitted.join(', ')}.`)
  const noted = isByName ? Object.entries(value).filter(([, secret]) => hasText(secret, 'note')) : []
  if (noted.length > 0) note(`${file}: The notes of these are left out: ${joinNames(noted.map(([name]) => name))}.`)
  return entries.filter(({ name }) => !originNames.includes(name))
}

function described(name: string, secret: unknown, file: string): Entry {
  const { computed } = secret as { readonly computed: unknown }
  if (typeof computed === 'string') return { name, value: computed }
  throw unreadable(
    file,
    `, key ${name}`,
    'The export does not contain its value, which Doppler shows to few users. Export it as a user who can see it',
  )
}
