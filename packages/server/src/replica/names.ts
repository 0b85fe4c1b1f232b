/**
 * The names of the objects of a replica. Each start of the service is a writer with a number; the highest one is the only one that ships.
 *
 *   writers/0000000007.json                        who the writer is; created once, never changed or deleted
 *   0000000007/0000000000-1764390000000.snapshot   every page, as after segment 0 of writer 7
 *   0000000007/0000000001-1764390001000.segment    what changed from segment 0 to segment 1
 */
import { z } from 'zod'

/** Number, time and kind of an object with data. */
export interface ObjectName {
  readonly writer: number
  /** Number of the segment, or of the segment that the snapshot follows. */
  readonly number: number
  /** When what it contains was current, in Unix milliseconds. */
  readonly atMs: number
  readonly kind: 'segment' | 'snapshot'
}

const numberDigits = 10
const timeDigits = 13
const pattern = /^(\d{10})\/(\d{10})-(\d{13})\.(segment|snapshot)$/
const writerPattern = /^writers\/(\d{10})\.json$/

function padded(value: number, digits = numberDigits): string {
  return String(value).padStart(digits, '0')
}

export function nameOf({ writer, number, atMs, kind }: ObjectName): string {
  return `${folderOf(writer)}${padded(number)}-${padded(atMs, timeDigits)}.${kind}`
}

/** Returns what a name says, or undefined for another file. */
export function parseName(name: string): ObjectName | undefined {
  const [, writer, number, atMs, kind] = pattern.exec(name) ?? []
  if (writer === undefined) return undefined
  return { writer: Number(writer), number: Number(number), atMs: Number(atMs), kind: kind as ObjectName['kind'] }
}

/** Returns a text after which the names of a writer's objects with this number and higher ones come. */
export function beforeNumber(writer: number, number: number): string {
  return `${folderOf(writer)}${padded(number)}`
}

export const writersFolder = 'writers/'

/** Returns the prefix of the names of a writer's objects. */
export function folderOf(writer: number): string {
  return `${padded(writer)}/`
}

export function writerNameOf(writer: number): string {
  return `${writersFolder}${padded(writer)}.json`
}

export function parseWriterName(name: string): number | undefined {
  const writer = writerPattern.exec(name)?.[1]
  return writer === undefined ? undefined : Number(writer)
}

export const writerType = z.object({
  writer: z.number().int(),
  host: z.string(),
  process: z.number().int(),
  startedAtMs: z.number().int(),
})

/** Who ships to the replica. */
export type Writer = z.output<typeof writerType>
