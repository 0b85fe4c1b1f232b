import { unreadable, type Entry } from './entry.ts'
import { isObject, json, parseJson } from './json.ts'

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
 * object of `{ computed, computedVisibility, note, … }` by name, in which `computed` has its references resolved. Omits
 * Doppler's own three names. Source: DopplerHQ/cli, pkg/models/parse.go and tests/e2e (download), basecamp/kamal's adapter
 * test (--json).
 */
export function doppler(text: string, file: string): Entry[] {
  const value = parseJson(text, file)
  const isByName = isObject(value) && Object.values(value).every(isDescribed)
  const entries = isByName
    ? Object.entries(value).map(([name, secret]) => described(name, secret, file))
    : json(text, file)
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
