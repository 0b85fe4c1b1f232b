/** What gives someone verbs, as a sentence. */
import type { Place } from '@rollkey/contract/rules'
import { absoluteTime } from '../../lib/time.ts'
import { labels } from './labels.ts'
import { placeName } from '../../data/projects/labels.ts'

interface ShownSource extends Place {
  readonly from: 'default' | 'owner' | 'admin' | 'token' | 'trust' | 'grant'
  readonly role?: string | undefined
  readonly expiresAtMs?: number | undefined
  /** The group that has the grant. */
  readonly group?: { readonly name: string } | undefined
}

/** Returns a source as a sentence, such as "developer, granted on shop/prod to the group On call, until Nov 30". */
export function sourceText(source: ShownSource): string {
  const { expiresAtMs } = source
  const text = whatGives(source)
  return expiresAtMs === undefined ? text : `${text}, ${labels.source.until(absoluteTime(expiresAtMs))}`
}

function whatGives({ from, role = '', group, ...place }: ShownSource): string {
  const words = labels.source
  if (from === 'owner' || from === 'admin') return words[from]
  if (from !== 'grant') return words[from](role)
  return group ? words.group(role, placeName(place), group.name) : words.grant(role, placeName(place))
}
