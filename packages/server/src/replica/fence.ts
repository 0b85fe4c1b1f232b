/** Which writer ships to a replica. Each start creates the next writer's object, and so ends the shipping of all before it. */
import { hostname } from 'node:os'
import { json } from 'node:stream/consumers'
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

/** Returns the number of the latest writer, or 0 if there was none. */
async function latestWriter(target: ReplicaTarget): Promise<number> {
  const numbers = (await target.list(writersFolder)).flatMap(({ name }) => parseWriterName(name) ?? [])
  return Math.max(0, ...numbers)
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

/** Returns the writer that follows, if any. It is created by another start. */
export function successorOf(target: ReplicaTarget, { writer }: Writer): Promise<Writer | undefined> {
  return readWriter(target, writer + 1)
}
