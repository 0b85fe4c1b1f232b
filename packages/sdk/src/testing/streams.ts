/** Streams of new revisions, as the service sends them. */

type Revisions = ReadonlyMap<string, number>

/** The stages of a project. */
interface Project {
  readonly revisions: () => Revisions
  /** Returns the names of a stage that changed after a revision. */
  readonly changedAfter: (stage: string, revision: number) => string[]
}

export class TestStreams {
  /** Sends each open stream what is new. */
  readonly #streams = new Set<() => void>()

  /** Returns a stream of the revisions. */
  open({ revisions, changedAfter }: Project, signal: AbortSignal): Response {
    let sent = revisions()
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (text: string): void => controller.enqueue(encoder.encode(`${text}\nid: ${cursorOf(sent)}\n\n`))
        const sendNew = (): void => {
          const before = sent
          sent = revisions()
          for (const [stageSlug, revision] of sent) {
            const seen = before.get(stageSlug) ?? 0
            if (seen === revision) continue
            const names = changedAfter(stageSlug, seen)
            send(`event: revision\ndata: ${JSON.stringify({ stageSlug, revision, names })}`)
          }
        }
        this.#streams.add(sendNew)
        signal.addEventListener('abort', () => {
          this.#streams.delete(sendNew)
          controller.error(signal.reason)
        })
        send(':')
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  /** Sends what has changed. */
  notify(): void {
    for (const sendNew of this.#streams) sendNew()
  }
}

function cursorOf(revisions: Revisions): string {
  return [...revisions].map(([stage, revision]) => `${stage}:${revision}`).join(',')
}
