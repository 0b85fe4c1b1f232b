import { labels } from './labels.ts'

/** User agents also name the browsers that theirs descends from, so the most special one comes first. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['OPT/', 'Opera'],
  ['SamsungBrowser/', labels.browsers.samsung],
  ['Vivaldi/', 'Vivaldi'],
  ['DuckDuckGo/', 'DuckDuckGo'],
  ['Ddg/', 'DuckDuckGo'],
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

/** Names the browser and system of a user agent, such as "Firefox on Linux"; for another program its name, such as "curl". */
export function browserName(userAgent: string | null | undefined): string {
  const nameIn = (names: readonly (readonly [mark: string, name: string])[]): string | undefined =>
    names.find(([mark]) => userAgent?.includes(mark))?.[1]
  return labels.browsers.name(nameIn(browsers) ?? programIn(userAgent), nameIn(systems))
}

/** Returns the first product of a user agent, which all browsers call "Mozilla". */
function programIn(userAgent: string | null | undefined): string | undefined {
  const [program] = /^[\w.-]{1,32}/.exec(userAgent ?? '') ?? []
  return program === 'Mozilla' ? undefined : program
}
