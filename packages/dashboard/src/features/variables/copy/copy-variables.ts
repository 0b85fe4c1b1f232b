/** Copying variables to another stage of their project. The service copies, so no secret value comes here. */
import type { StageSlugs } from '@rollkey/sdk/core'
import { useMutation } from '@tanstack/react-query'
import type { StageContents } from '../../../data/variables/comparison.ts'
import { type Outcome, succeeded, useStageWrite } from '../../../data/variables/use-stage-write.ts'
import { PageError } from '../../../service/errors.ts'
import { labels } from './labels.ts'

/** A stage as the preview of a copy shows it. */
export interface PreviewedStage {
  readonly place: StageSlugs
  /** Undefined until it is read. */
  readonly contents: StageContents | undefined
}

interface Copying {
  /** Names of variables. */
  readonly names: readonly string[]
  /** Why the copy is proposed. Undefined: it is saved at once. */
  readonly reason?: string | undefined
}

/** Returns the mutation that copies all or none, only while both stages are as the preview shows them. `onCopied` returns what to say. */
export function useCopyVariables(from: PreviewedStage, to: PreviewedStage, onCopied: (outcome: Outcome) => string) {
  const { write, confirm } = useStageWrite()
  return useMutation({
    mutationFn: async ({ names, reason }: Copying) => {
      if (!from.contents || !to.contents) throw new PageError('NOT_FOUND', labels.notRead)
      const content = { copy: { from: from.place, names, fromRevision: from.contents.revision } }
      return succeeded(await write({ place: to.place, content, previewed: to.contents.revision, reason }))
    },
    onSuccess: (outcome) => confirm(outcome, onCopied(outcome)),
  })
}
