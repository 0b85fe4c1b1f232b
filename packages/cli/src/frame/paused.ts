/** Ramps that a write has paused: someone changed the chance of their roll by hand. */
import { RollkeyError, type Client } from '@rollkey/sdk'
import type { Context } from './context.ts'
import type { StageArgument } from './stage-argument.ts'

/** Says which ramps of a stage the write of a revision has paused, and how they go on. Says nothing to who may not see changes. */
export async function notePaused(
  { out }: Context,
  client: Client,
  { project, stage }: StageArgument,
  revision: number,
): Promise<void> {
  if (out.isJson) return
  const asked = { projectSlug: project, stageSlug: stage, states: ['paused'] } as const
  const changes = await client.manage.changes.list(asked).then(
    (answer) => answer.changes,
    (error: unknown) => {
      // The write has succeeded, so a failure here must not look like one of the write.
      if (error instanceof RollkeyError) return []
      throw error
    },
  )
  // Only its sentence says which write paused a ramp. If a service of another version says it otherwise, there is no note.
  for (const { id, reason, problem } of changes)
    if (problem?.startsWith(`Revision ${revision} `))
      out.note(
        `The ramp "${reason}" is paused: rollkey change resume ${id} lets it go on, and rollkey change abort ${id} ends it.`,
      )
}
