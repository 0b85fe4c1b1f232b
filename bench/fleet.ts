/**
 * A program whose clients decide in its process. It reads its job as a line of JSON from stdin. It writes a line when a decision has
 * changed, and answers each later line of stdin with what each client decides.
 */
import { createInterface } from 'node:readline'
import { createClient, type ClientOptions } from '../packages/sdk/src/index.ts'

export interface FleetJob {
  readonly options: ClientOptions
  readonly name: string
  readonly clients: number
}

/** A line of the program, the first of which has no arrivals and means that all clients can decide. */
export type FleetLine =
  | { readonly decided: readonly unknown[] }
  /** `atMs` is in ms since the epoch, with fractions. */
  | { readonly value: unknown; readonly atMs: number }

function print(line: FleetLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const { options, name, clients } = JSON.parse(String((await lines.next()).value)) as FleetJob
const all = await Promise.all(
  Array.from({ length: clients }, async () => {
    const local = await createClient(options).local()
    const decide = (): unknown => local.get(name, { seed: 'user-1' })
    local.on('change', () => print({ value: decide(), atMs: performance.timeOrigin + performance.now() }))
    return decide
  }),
)
do print({ decided: all.map((decide) => decide()) })
while (!(await lines.next()).done)
