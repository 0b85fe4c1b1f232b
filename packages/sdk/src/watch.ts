import type { Host } from './host.ts'
import type { StageRevision } from './revisions.ts'
import type { WatchOptions } from './types.ts'

/** Polls a stage until the signal aborts. `stage` returns the current state of the stage. Throws what the listener throws. */
export async function watch(
  stage: () => StageRevision,
  listener: (change: { readonly revision: number }) => void,
  { since, intervalMs = 30_000, signal }: WatchOptions & { readonly signal: AbortSignal },
  host: Host,
): Promise<void> {
  let lastRevision = since ?? stage().revision
  while (!signal.aborted) {
    const revision = await checkedRevision(stage())
    if (signal.aborted) return
    if (lastRevision !== undefined && revision !== undefined && revision !== lastRevision) listener({ revision })
    lastRevision = revision ?? lastRevision
    await host.wait(intervalMs, { signal, idle: true })
  }
}

/** Requests the revision. Returns undefined after an error, which a call that needs a value will report. */
async function checkedRevision(stage: StageRevision): Promise<number | undefined> {
  try {
    await stage.check()
    return stage.revision
  } catch {
    return undefined
  }
}
