/**
 * Versions (Semantic Versioning 2.0.0) and ranges of them, as npm understands them: `>=1.2.0 <2.0.0`, `^1.2`, `~1.2.3`, `1.x || 3`.
 * Of the ranges of npm, only those with a hyphen (`1.2 - 1.4`) are missing.
 */

interface Version {
  readonly core: readonly [major: number, minor: number, patch: number]
  /** The identifiers of a pre-release. Empty: a release. */
  readonly pre: readonly (string | number)[]
}

/** A comparison with a version. */
interface Comparator {
  readonly operator: '<' | '>=' | '>' | '<=' | '='
  readonly version: Version
}

const number = '(0|[1-9][0-9]{0,14})'
const identifier = '(?:0|[1-9][0-9]{0,14}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)'
const suffix = `(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?`
const versionText = new RegExp(`^v?${number}\\.${number}\\.${number}${suffix}$`)
const any = '[xX*]'
const patchText = `(?:\\.(?:${any}|${number}${suffix}))?`
const minorText = `(?:\\.(?:${any}(?:\\.${any})?|${number}${patchText}))?`
const comparatorText = new RegExp(`^(\\^|~|<=|>=|<|>|=)?v?(?:${any}(?:\\.${any}){0,2}|${number}${minorText})$`)

/** Maximum length of a version, in characters. Longer ones are not versions. */
const maxVersionCharacters = 256
/** The lowest pre-release: below all others of the same version. */
const lowest = [0]

function preOf(text: string | undefined): (string | number)[] {
  if (text === undefined) return []
  return text.split('.').map((each) => (/^[0-9]+$/.test(each) ? Number(each) : each))
}

function parseVersion(text: string): Version | undefined {
  const match = text.length <= maxVersionCharacters ? versionText.exec(text) : null
  if (!match) return undefined
  const [, major, minor, patch, pre] = match
  return { core: [Number(major), Number(minor), Number(patch)], pre: preOf(pre) }
}

/** Returns a negative number, 0 or a positive number, by the precedence of Semantic Versioning, section 11. */
function compare(left: Version, right: Version): number {
  for (const [index, each] of left.core.entries()) {
    const difference = each - (right.core[index] as number)
    if (difference !== 0) return difference
  }
  return comparePre(left.pre, right.pre)
}

function comparePre(left: Version['pre'], right: Version['pre']): number {
  if (left.length === 0 || right.length === 0) return right.length - left.length
  for (const [index, one] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    if (one === other) continue
    if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1
    return one < other ? -1 : 1
  }
  return left.length - right.length
}

const release = (major: number, minor: number, patch: number): Version => ({ core: [major, minor, patch], pre: [] })
const before = (major: number, minor: number, patch: number): Comparator => ({
  operator: '<',
  version: { core: [major, minor, patch], pre: lowest },
})
const from = (version: Version): Comparator => ({ operator: '>=', version })
/** Below the lowest version there is, so it matches none. */
const none = [before(0, 0, 0)]

/** The written parts of a version: undefined from the first `x` or missing one on. */
type Parts = readonly [major: number, minor: number | undefined, patch: number | undefined]

/** Returns the first version after all that begin with the written parts. */
function after([major, minor, patch]: Parts): Parameters<typeof before> {
  if (minor === undefined) return [major + 1, 0, 0]
  return patch === undefined ? [major, minor + 1, 0] : [major, minor, patch + 1]
}

/** Returns the version after the last one that is compatible: which keeps the first part that is not 0. */
function afterCompatible([major, minor, patch]: Parts): Parameters<typeof before> {
  if (major > 0 || minor === undefined) return [major + 1, 0, 0]
  return minor > 0 || patch === undefined ? [0, minor + 1, 0] : [0, 0, patch + 1]
}

function comparatorsOf(text: string): readonly Comparator[] | undefined {
  const match = comparatorText.exec(text)
  if (!match) return undefined
  const [, operator = '=', first, second, third, pre] = match
  const majorPart = first === undefined ? undefined : Number(first)
  if (majorPart === undefined) return operator === '<' || operator === '>' ? none : [from(release(0, 0, 0))]
  const minorPart = second === undefined ? undefined : Number(second)
  const patchPart = minorPart === undefined || third === undefined ? undefined : Number(third)
  const parts: Parts = [majorPart, minorPart, patchPart]
  const version: Version = { core: [majorPart, minorPart ?? 0, patchPart ?? 0], pre: preOf(pre) }
  if (operator === '^') return [from(version), before(...afterCompatible(parts))]
  if (operator === '~') return [from(version), before(...after([majorPart, minorPart, undefined]))]
  if (patchPart !== undefined) return [{ operator: operator as Comparator['operator'], version }]
  if (operator === '>=') return [from(version)]
  if (operator === '<') return [{ operator, version: { ...version, pre: lowest } }]
  if (operator === '>') return [from(release(...after(parts)))]
  if (operator === '<=') return [before(...after(parts))]
  return [from(version), before(...after(parts))]
}

/** Ranges that were parsed lately, since each evaluation of a rule needs its range: 100 long ones took 6 ms to parse. */
const parsedRanges = new Map<string, Comparator[][] | undefined>()
const maxParsedRanges = 1_000

function rangeOf(text: string): Comparator[][] | undefined {
  if (parsedRanges.has(text)) return parsedRanges.get(text)
  const range = parseRange(text)
  if (parsedRanges.size >= maxParsedRanges) parsedRanges.clear()
  parsedRanges.set(text, range)
  return range
}

/** Returns the alternatives of a range, each a list of comparators of which all must hold; undefined if it is malformed. */
function parseRange(text: string): Comparator[][] | undefined {
  const alternatives = text.split('||').map((each) => {
    const words = each
      .replace(/([<>=^~])\s+/g, '$1')
      .split(/\s+/)
      .filter((word) => word !== '')
    return words.length === 0 ? undefined : words.map(comparatorsOf)
  })
  if (!alternatives.every((each) => each?.every((comparators) => comparators !== undefined))) return undefined
  return alternatives.map((each) => (each as Comparator[][]).flat())
}

function holds({ operator, version }: Comparator, candidate: Version): boolean {
  const order = compare(candidate, version)
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  if (operator === '>') return order > 0
  return operator === '>=' ? order >= 0 : order === 0
}

/** Returns whether a range may contain a pre-release: npm requires a comparator with a pre-release of the same version. */
function mayContain(comparators: readonly Comparator[], { core, pre }: Version): boolean {
  if (pre.length === 0) return true
  return comparators.some(
    ({ version }) => version.pre.length > 0 && core.every((each, index) => each === version.core[index]),
  )
}

/**
 * Returns whether a text is a range of versions. Never throws.
 *
 * @example
 * isVersionRange('>=1.2.0 <2.0.0') // true
 */
export function isVersionRange(text: string): boolean {
  return parseRange(text) !== undefined
}

/**
 * Returns whether a text is a version within a range. A malformed version or range matches nothing. A pre-release matches only if
 * the range names a pre-release of the same version, as in npm. Never throws.
 *
 * @example
 * isVersionIn('1.4.2', '^1.2') // true
 * isVersionIn('2.0.0-beta.1', '>=1.2.0') // false
 */
export function isVersionIn(version: string, range: string): boolean {
  const candidate = parseVersion(version)
  const alternatives = candidate && rangeOf(range)
  if (!candidate || !alternatives) return false
  return alternatives.some(
    (comparators) => comparators.every((each) => holds(each, candidate)) && mayContain(comparators, candidate),
  )
}
