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
  let seen = since ?? stage().revision
  while (!signal.aborted) {
    const revision = await asked(stage())
    if (signal.aborted) return
    if (seen !== undefined && revision !== undefined && revision !== seen) listener({ revision })
    seen = revision ?? seen
    await host.wait(intervalMs, { signal, idle: true })
  }
}

/** Asks for the revision. Returns undefined on errors: callers that need a value receive them. */
async function asked(stage: StageRevision): Promise<number | undefined> {
  try {
    await stage.ask()
    return stage.revision
  } catch {
    return undefined
  }
}
