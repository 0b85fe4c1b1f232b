import type { Change, StageSlugs } from '@rollkey/sdk/core'
import { Text } from '@mantine/core'
import { chanceSentence, moveSentence } from '../../data/rolls/chance.ts'
import type { Sides } from '../../data/rolls/labels.ts'
import { isExposed } from '../../data/variables/labels.ts'
import { labels as rollLabels } from '../../parts/rolls/labels.ts'
import { useSides } from '../../parts/rolls/sides.tsx'
import { labels } from './labels.ts'

type ProposalItem = Change['items'][number]

interface ChanceMeaningProps {
  readonly place: StageSlugs
  readonly item: ProposalItem
  /** The chance that the change ends with. */
  readonly chance: number | undefined
}

/** Says what another chance of a roll means for its users, and what the sides are; nothing if the chance stays. */
export function ChanceMeaning(props: ChanceMeaningProps) {
  const { item, chance } = props
  const from = item.before?.chance
  if (from === undefined || chance === undefined || from === chance) return null
  return <MoveText {...props} from={from} chance={chance} />
}

interface MoveTextProps extends ChanceMeaningProps {
  readonly from: number
  readonly chance: number
}

function MoveText({ place, item, from, chance }: MoveTextProps) {
  const { labels: names, pinned, rules } = item.after ?? item.before ?? {}
  const sides = sidesOf(item, useSides(place, item.name, names))
  return (
    <Text size="sm" className="wrapping">
      {moveSentence(from, chance, sides)} {labels.afterwards(chanceSentence(chance, { sides }))}
      {(pinned ?? rules) && ` ${rollLabels.othersOnly}`}
    </Text>
  )
}

/** Returns the sides that the change leaves. `stored`: those of the stage. */
function sidesOf({ before, after, plain }: ProposalItem, stored: Sides | undefined): Sides {
  const names = (after ?? before)?.labels
  if (plain) return { a: plain.valueA, b: plain.valueB, labels: names }
  if (!isExposed(after ?? before ?? {})) return { a: labels.secretSide, b: labels.secretSide, labels: names }
  return after ? { labels: names } : { ...stored, labels: names }
}
