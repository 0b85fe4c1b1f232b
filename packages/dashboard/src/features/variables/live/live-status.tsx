import { Affix, Paper } from '@mantine/core'
import { explain } from '../../../service/error-messages.ts'
import { useLive } from './use-live.ts'
import { useToldNews } from './use-told-news.ts'
import type { Project } from '../../projects/queries.ts'

interface LiveStatusProps {
  readonly project: Project
}

/** Above what pages keep at their foot. */
const position = { bottom: 80, left: 16 }
/** Under dialogs, whose buttons it would cover on a phone. */
const zIndex = 199
/** What is below can be reached all the same. */
const style = { pointerEvents: 'none' } as const

/** Keeps the pages of a project up to date, and says in a corner what others changed. */
export function LiveStatus({ project }: LiveStatusProps) {
  const { text, tell } = useToldNews(project)
  const { isAway, problem } = useLive(project, tell)
  const status = problem === null ? (isAway ? 'Live updates are paused; reconnecting.' : text) : explain(problem)
  return (
    <Affix position={position} zIndex={zIndex} style={style} role="status">
      {status !== '' && (
        <Paper withBorder shadow="md" px="md" py="xs" className="wrapping" maw="min(480px, calc(100vw - 32px))">
          {status}
        </Paper>
      )}
    </Affix>
  )
}
