/** A user agent in the words of a person, such as "Firefox on Linux". */

/** Browsers name those they descend from too, so the most special one comes first. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

export function browserName(userAgent: string | null | undefined): string {
  const nameIn = (names: readonly (readonly [mark: string, name: string])[]): string | undefined =>
    names.find(([mark]) => userAgent?.includes(mark))?.[1]
  const browser = nameIn(browsers) ?? 'Unknown browser'
  const system = nameIn(systems)
  return system === undefined ? browser : `${browser} on ${system}`
}
