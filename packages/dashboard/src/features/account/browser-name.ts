import { labels } from './labels.ts'

/** User agents also name the browsers that theirs descends from, so the most special one comes first. */
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
  ['Macintosh', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

/** Names the browser and system of a user agent, such as "Firefox on Linux". */
export function browserName(userAgent: string | null | undefined): string {
  const nameIn = (names: readonly (readonly [mark: string, name: string])[]): string | undefined =>
    names.find(([mark]) => userAgent?.includes(mark))?.[1]
  return labels.browsers.name(nameIn(browsers), nameIn(systems))
}
