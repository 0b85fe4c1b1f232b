import { useMatches } from '@tanstack/react-router'
import { gridFocus } from '../../data/projects/commands.ts'
import { focusOn } from '../../ui/focus.ts'
import { SkipLink } from '../../ui/page.tsx'
import { labels } from '../labels.ts'

/** Skip for keyboard users what precedes the content, and on the page of a project also what precedes the table. */
export function SkipLinks() {
  const hasGrid = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.hasGrid) })
  return (
    <>
      <SkipLink />
      {hasGrid && <SkipLink label={labels.skipToVariables} onSkip={() => focusOn(gridFocus)} />}
    </>
  )
}
