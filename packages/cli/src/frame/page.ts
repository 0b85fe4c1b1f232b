/** Lists that the service answers in pages. */
import { usage } from './cli-error.ts'

export interface PageOptions {
  readonly limit?: string
  readonly all?: true
}

/** Returns the options that choose how much is listed. */
export function pageOptions(count: number): readonly (readonly [flags: string, about: string])[] {
  return [
    ['--limit <count>', `at most this many (default: ${count})`],
    ['--all', 'without a limit'],
  ]
}

/** Returns how many items are wanted. Throws USAGE. */
export function wantedOf({ limit, all }: PageOptions, count: number): number {
  if (all && limit !== undefined) throw usage('--limit and --all cannot be combined')
  if (all) return Infinity
  if (limit === undefined) return count
  const wanted = Number(/^\d{1,9}$/.exec(limit)?.[0])
  if (wanted > 0) return wanted
  throw usage(`--limit ${JSON.stringify(limit)} is not a count (expected a number such as ${count})`)
}

/**
 * Reads pages until there are `wanted` items or no more, and hands each page to `onPage`. Returns whether there may be more.
 *
 * @param pageSize the largest page.
 * @param read reads at most `limit` items after the last one.
 */
export async function readPages<Item>(
  wanted: number,
  pageSize: number,
  read: (last: Item | undefined, limit: number) => Promise<readonly Item[]>,
  onPage: (items: readonly Item[]) => void,
): Promise<boolean> {
  let last: Item | undefined
  for (let count = 0; count < wanted;) {
    const limit = Math.min(pageSize, wanted - count)
    const page = await read(last, limit)
    onPage(page)
    if (page.length < limit) return false
    count += page.length
    last = page.at(-1)
  }
  return true
}
