/** Which writer ships to a replica. Each start creates the next writer's object, and so ends the shipping of all before it. */
import { hostname } from 'node:os'
import { json } from 'node:stream/consumers'
import type { Log } from '../base/log.ts'
import { contentOf } from './file-target.ts'
import { parseWriterName, writerNameOf, writersFolder, writerType, type Writer } from './names.ts'
import { BadReplica, type ReplicaTarget } from './target.ts'

async function readWriter(target: ReplicaTarget, writer: number): Promise<Writer | undefined> {
  const stream = await target.get(writerNameOf(writer))
  if (!stream) return undefined
  try {
    return writerType.parse(await json(stream))
  } catch (error) {
    throw new BadReplica(`${writerNameOf(writer)} in the replica is damaged.`, { cause: error })
  }
}

/** Returns the numbers of the writers after one, in ascending order. */
export async function writersAfter(target: ReplicaTarget, writer: number): Promise<number[]> {
  const listed = await target.list(writersFolder, writerNameOf(writer))
  return listed.flatMap(({ name }) => parseWriterName(name) ?? [])
}

/** Returns the number of the latest writer, or 0 if there was none. */
async function latestWriter(target: ReplicaTarget): Promise<number> {
  return (await writersAfter(target, 0)).at(-1) ?? 0
}

/** Returns who ships to the replica, or shipped last. */
export async function latestWriterOf(target: ReplicaTarget): Promise<Writer | undefined> {
  const latest = await latestWriter(target)
  return latest === 0 ? undefined : readWriter(target, latest)
}

/** A process that became the writer. */
interface Takeover {
  readonly writer: Writer
  /** The writer before it, if any. */
  readonly replaced: Writer | undefined
  /** Whether the replica refuses to create what exists. Otherwise, two starts at the same moment could both become the same writer. */
  readonly isExclusive: boolean
}

/** Makes this process the writer. */
export async function becomeWriter(target: ReplicaTarget, nowMs: number): Promise<Takeover> {
  for (;;) {
    const latest = await latestWriter(target)
    const writer = { writer: latest + 1, host: hostname(), process: process.pid, startedAtMs: nowMs }
    const [name, content] = [writerNameOf(writer.writer), contentOf(Buffer.from(JSON.stringify(writer)))]
    if (!(await target.create(name, content))) continue
    const isExclusive = !(await target.create(name, content))
    return { writer, replaced: latest === 0 ? undefined : await readWriter(target, latest), isExclusive }
  }
}

/** Makes this process the writer, and says in the log whom it replaced. */
export async function takeOver(target: ReplicaTarget, nowMs: number, log: Log): Promise<Takeover> {
  const takeover = await becomeWriter(target, nowMs)
  const { replaced, isExclusive } = takeover
  if (!isExclusive) log.warn('the replica ignores conditional writes, so two services could ship to it at once')
  if (replaced)
    log.warn('replaced the writer of the replica, which must not serve any more', {
      address: replaced.host,
      name: processOf(replaced),
    })
  return takeover
}

/** Returns what the log says of a writer beside its host. */
export function processOf({ process: pid, startedAtMs }: Writer): string {
  return `process ${pid}, started ${new Date(startedAtMs).toISOString()}`
}

/** Returns the writer that follows, if any. It is created by another start. */
export function successorOf(target: ReplicaTarget, { writer }: Writer): Promise<Writer | undefined> {
  return readWriter(target, writer + 1)
}
