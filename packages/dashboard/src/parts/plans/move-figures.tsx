import { percentText } from '../../lib/numbers.ts'
import { Notice } from '../../ui/notice.tsx'
import { SplitBar } from '../../ui/split-bar.tsx'
import { type ChanceMove, fallOf } from './chance-moves.ts'
import { labels } from './labels.ts'

interface MoveFiguresProps {
  readonly move: ChanceMove
}

/** Shows what a step makes of the chance, in figures and as a bar. */
export function MoveFigures({ move: { from, chance } }: MoveFiguresProps) {
  return (
    <>
      <span>{labels.chance(from, chance)}</span>
      <SplitBar share={chance} hasText={false} isStep label={percentText(chance)} />
    </>
  )
}

interface FallNoticeProps {
  readonly moves: readonly ChanceMove[]
}

/** Warns if a step lowers the chance; nothing if none does. */
export function FallNotice({ moves }: FallNoticeProps) {
  const fall = fallOf(moves)
  return fall?.from !== undefined && <Notice kind="warning">{labels.rampForm.falls(fall.from, fall.chance)}</Notice>
}
