/** Texts that name who made a change. */

/** Maximum number of characters of a reason in a sentence. */
const maxTitle = 80

/** Returns why a change was proposed, as a sentence quotes it. */
export function quotedTitle(reason: string): string {
  const title = reason.replace(/\s+/g, ' ').trim()
  return `“${title.length > maxTitle ? `${title.slice(0, maxTitle)}…` : title}”`
}

export const labels = {
  planOf: (name: string) => `${name}’s plan`,
  changeOf: (name: string) => `${name}’s change`,
  /** Between whose change it is and what the change did. */
  titled: (reason: string) => `${quotedTitle(reason)} `,
  titledAndApplied: (reason: string, by: string) => `${quotedTitle(reason)}, applied by ${by}, `,
  appliedBy: (author: string, by: string) => `${author}, applied by ${by}`,
} as const
