/** The groups of a person, as an identity provider reports them: in a claim of its tokens, and with the membership. */

export interface ReportedGroups {
  /** What the provider calls the groups: names or ids. */
  readonly names: readonly string[]
  readonly asOfMs: number
}

/** The groups with which a person came back from a company's provider. */
export interface CompanyGroupReport {
  readonly userId: string
  /** The person's organizations at the embedded provider. */
  readonly organizations: readonly { readonly id: string; readonly slug: string }[]
  /** The name of the provider in the settings. */
  readonly provider: string
  /** What the provider calls the groups: names or ids. */
  readonly names: readonly string[]
}

/**
 * Returns what groups here stand for: the name of the provider in front keeps groups of two providers apart, which may have the same
 * name.
 */
export function companyGroup(provider: string, name: string): string {
  return `${provider}:${name}`
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
