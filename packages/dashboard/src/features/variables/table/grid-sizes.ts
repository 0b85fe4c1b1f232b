import type { CSSProperties } from 'react'
import { textScale } from '../../../ui/text-scale.ts'
import type { OptionalColumn, TablePreferences } from './toolbar.tsx'

/** Sizes in CSS pixels. */
const sizes = {
  row: 38 * textScale,
  tallRow: 56 * textScale,
  card: 65 * textScale,
  select: 36 * textScale,
  name: 208 * textScale,
  /** Shows a name and the beginning of its description. */
  describedName: 300 * textScale,
  change: 104 * textScale,
  /** Shows a roll with its chance and two short values. */
  stage: 252 * textScale,
  /** Below it, a cell has no room for three buttons. */
  buttons: 176 * textScale,
  narrowStage: 140 * textScale,
  cardStage: 104 * textScale,
}

interface GridFacts {
  /** In CSS pixels, or 0 until it is measured. */
  readonly width: number
  /** How many stages have a column. */
  readonly stages: number
  readonly preferences: Pick<TablePreferences, 'hiddenColumns' | 'density'>
  readonly isPhone: boolean
}

interface GridSizes {
  readonly hasColumn: Readonly<Record<OptionalColumn, boolean>>
  /** Whether a cell has no room for all its buttons. */
  readonly isNarrow: boolean
  readonly rowHeight: number
  /** Custom properties for the style sheet. */
  readonly style: CSSProperties
}

/** Divides the width of the table. Values and descriptions come first: the last change has a column where they leave room for it. */
export function gridSizes({ width, stages, preferences: { hiddenColumns, density }, isPhone }: GridFacts): GridSizes {
  const isShown = (column: OptionalColumn): boolean => !hiddenColumns.includes(column)
  const name = isShown('description') && density === 'compact' ? sizes.describedName : sizes.name
  const isRoomy = width === 0 || width >= sizes.select + name + sizes.change + stages * sizes.stage
  const lastChange = isShown('lastChange') && isRoomy
  const leading = sizes.select + sizes.name + (lastChange ? sizes.change : 0)
  const share = isRoomy ? sizes.stage : Math.floor((width - leading) / stages)
  const stage = isPhone ? sizes.cardStage : Math.max(sizes.narrowStage, Math.min(sizes.stage, share))
  const columns = [
    ...(isPhone ? [] : [`${sizes.select}px`, `minmax(${sizes.name}px, 2fr)`]),
    ...(lastChange && !isPhone ? [`${sizes.change}px`] : []),
    `repeat(${stages}, minmax(${stage}px, 1fr))`,
  ]
  const rowHeight = isPhone ? sizes.card : density === 'comfortable' ? sizes.tallRow : sizes.row
  return {
    hasColumn: { type: isShown('type'), description: isShown('description') || density === 'comfortable', lastChange },
    isNarrow: stage < sizes.buttons,
    rowHeight,
    style: {
      '--row-height': `${rowHeight}px`,
      '--name-left': `${sizes.select}px`,
      '--columns': columns.join(' '),
      '--least-width': `${stages * stage + (isPhone ? 0 : leading)}px`,
    } as CSSProperties,
  }
}
