/** Which writer ships to a replica. Each start creates the next writer's object, and so ends the shipping of all before it. */
import { randomUUID } from 'node:crypto'
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

/** Makes this process the writer. Returns it and the writer before it, if any. */
export async function becomeWriter(
  target: ReplicaTarget,
  nowMs: number,
): Promise<{ writer: Writer; replaced: Writer | undefined }> {
  for (;;) {
    const latest = await latestWriter(target)
    const writer = { writer: latest + 1, id: randomUUID(), host: hostname(), process: process.pid, startedAtMs: nowMs }
    const isCreated = await target.create(writerNameOf(writer.writer), contentOf(Buffer.from(JSON.stringify(writer))))
    // Some object stores ignore the condition, so the later of two writers has replaced the object of the other one.
    const isOurs = isCreated && (await readWriter(target, writer.writer))?.id === writer.id
    if (isOurs) return { writer, replaced: latest === 0 ? undefined : await readWriter(target, latest) }
  }
}

/** Returns the writer that follows, if any. It is created by another start. */
export function successorOf(target: ReplicaTarget, { writer }: Writer): Promise<Writer | undefined> {
  return readWriter(target, writer + 1)
}
