/** How the search of the documentation ranks what it finds: guides first, then references, then what is for those who change Rollkey. */

/** What counts how much, by the beginning of the address below `/docs/`. A guide counts 1. */
const weights = [
  [/^changelog\b/, 0.03],
  [/^decisions\/\d/, 0.07],
  [/^(?:contributing|style|design|life-of-a-request|decisions\/)/, 0.2],
  [/^reference\//, 0.3],
  [/^(?:first-minutes|threat-model|reliability|bench|speed|scale|compared|examples\/|ci\/[a-z])/, 0.6],
  [/^errors#(?!error-codes)/, 0.7],
  [/^(?:cli-commands|rollkey-server|settings|metrics|log)\b/, 0.45],
] as const

/** Words of questions that say nothing about their subject. */
const stopWords = new Set(
  'a an and are as at by can do does for from how i into is it my of on or our the to use we what where which with'.split(
    ' ',
  ),
)

/** Words of other products, and what the documentation calls it. Each is searched with its own name too. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  '2fa': ['second', 'factor'],
  canary: ['ramp'],
  dotenv: ['.env'],
  environment: ['stage'],
  environments: ['stage'],
  gradual: ['ramp'],
  mfa: ['second', 'factor'],
  nextjs: ['next', 'js'],
  percentage: ['chance', 'ramp'],
  rbac: ['access', 'role'],
  revert: ['undo'],
  rollback: ['undo'],
  rollout: ['ramp', 'roll'],
  saml: ['company', 'sign-in'],
  segment: ['targeting'],
  segments: ['targeting'],
  toggle: ['flag', 'roll'],
  totp: ['second', 'factor'],
}

/** Options of the search in the page, which its test uses too. */
export const searchOptions = {
  boost: { title: 4, titles: 2, text: 1 },
  // Short words are whole words: "ci" is not the beginning of "circuit".
  prefix: (term: string) => term.length > 2,
  // One wrong letter, so that "rollback" is not "callback".
  fuzzy: (term: string) => (term.length > 4 ? 1 : false),
  processTerm(term: string): string[] | string | null {
    const word = term.toLowerCase()
    if (stopWords.has(word)) return null
    return Object.hasOwn(otherNames, word) ? [word, ...(otherNames[word] ?? [])] : word
  },
  boostDocument(id: string, term: string, stored?: Readonly<Record<string, unknown>>): number {
    const address = id.replace(/^\/docs\//, '')
    const [, weight] = weights.find(([pages]) => pages.test(address)) ?? [undefined, 1]
    const { title, titles } = stored ?? {}
    // Who types the whole heading looks for it, wherever it is.
    if (typeof title === 'string' && title.toLowerCase() === term) return weight * 3
    // Who names a decision by its number looks for it.
    if (typeof title === 'string' && address.startsWith('decisions/') && title.startsWith(`${term}. `)) return 3
    // The beginning of a page counts more than a section of another one.
    return Array.isArray(titles) && titles.length === 0 ? weight * 2 : weight
  },
}
