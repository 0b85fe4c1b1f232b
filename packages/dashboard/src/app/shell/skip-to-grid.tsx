import { useMatches } from '@tanstack/react-router'
import { gridFocus } from '../../data/projects/commands.ts'
import { focusOn } from '../../ui/focus.ts'
import { SkipLink } from '../../ui/page.tsx'
import { labels } from '../labels.ts'

/** Skips for keyboard users what precedes the table on the page of a project. */
export function SkipToGrid() {
  const hasGrid = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.hasGrid) })
  return hasGrid && <SkipLink label={labels.skipToVariables} onSkip={() => focusOn(gridFocus)} />
}
