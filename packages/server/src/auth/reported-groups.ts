/** The groups of a person, as the identity provider reports them: in a claim of its tokens, and with the membership. */

export interface ReportedGroups {
  /** What the provider calls the groups: names or ids. */
  readonly names: readonly string[]
  readonly asOfMs: number
}

/**
 * Returns the names in a claim or in an answer: a list of texts, or a single text. It ignores everything else, and a provider may
 * leave out an empty list.
 */
export function groupNamesIn(given: unknown): readonly string[] {
  return [given].flat().filter((name) => typeof name === 'string')
}

/** Returns the later of two reports. */
export function laterOf(a: ReportedGroups | undefined, b: ReportedGroups | undefined): ReportedGroups | undefined {
  return a && b ? (a.asOfMs < b.asOfMs ? b : a) : (a ?? b)
}
