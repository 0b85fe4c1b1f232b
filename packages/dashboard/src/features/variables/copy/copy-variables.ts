/** Copying variables to another stage of their project. The service copies, so no secret value comes here. */
import type { StageSlugs } from '@rollkey/sdk/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask, type Scope, useScope } from '../../../session/scope.ts'
import { projectsQuery } from '../../../data/projects/queries.ts'
import type { StageContents } from '../../../data/variables/comparison.ts'
import { type Saved, savedBy } from '../../../data/variables/save.ts'
import { saveAsPreviewed } from '../../../data/variables/use-reveal.ts'
import { isOfStage } from '../../../data/stage-keys.ts'

/** A stage as the preview of a copy shows it. */
export interface PreviewedStage {
  readonly place: StageSlugs
  /** Undefined until it is read. */
  readonly contents: StageContents | undefined
}

/** Returns the mutation that copies variables by their names. Calls `onCopied` when the table shows it. */
export function useCopyVariables(from: PreviewedStage, to: PreviewedStage, onCopied: (saved: Saved) => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (names: readonly string[]) => copyVariables(scope, from, to, names),
    onSuccess: onCopied,
    onSettled: async () => {
      void queryClient.invalidateQueries(projectsQuery(scope))
      await Promise.all(
        [from, to].map(({ place }) => queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })),
      )
    },
  })
}

/** Copies all or none, and only while both stages are as the preview showed them. */
async function copyVariables(
  scope: Scope,
  from: PreviewedStage,
  to: PreviewedStage,
  names: readonly string[],
): Promise<Saved> {
  if (!from.contents || !to.contents) throw new Error('The stages are not read yet.')
  const body = {
    from: from.place,
    to: to.place,
    names: [...names],
    fromRevision: from.contents.revision,
    ifRevision: to.contents.revision,
  }
  return savedBy(to.place, await saveAsPreviewed(() => ask(scope, 'copy', body)))
}
