/**
 * Declarations as they are stored: the JSON of each, with its fields in one order. What is declared is compared by these texts, so that a
 * change of one declaration reads none of the others.
 */
import { compareCodePoints, contentOfDeclaration, type Declaration } from '@rollkey/contract'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { DeclarationRow } from '../storage/declarations.ts'

/** The JSON of declarations without their names, by name. */
export type DeclarationTexts = ReadonlyMap<string, string>

/** Returns the text of a declaration. */
export function textOf(declaration: Declaration): string {
  return JSON.stringify(contentOfDeclaration(declaration))
}

/** Returns the declaration of a row. */
export function declarationOf({ name, content }: DeclarationRow): Declaration {
  return { name, ...(JSON.parse(content) as Omit<Declaration, 'name'>) }
}

/** Returns the declarations of rows, in their order. */
export async function declarationsOfRows(rows: readonly DeclarationRow[]): Promise<Declaration[]> {
  const declarations: Declaration[] = []
  const slices = new TimeSlices()
  for (const row of rows) {
    declarations.push(declarationOf(row))
    if (slices.isOver) await slices.next()
  }
  return declarations
}

/** Returns the names of texts that others lack or have otherwise, and of those that only the others have, in wire order. */
export async function compareTexts(
  stored: DeclarationTexts,
  after: DeclarationTexts,
): Promise<{ readonly changed: string[]; readonly removed: string[] }> {
  const changed: string[] = []
  const removed: string[] = []
  const slices = new TimeSlices()
  for (const [name, text] of after) {
    if (stored.get(name) !== text) changed.push(name)
    if (slices.isOver) await slices.next()
  }
  for (const name of stored.keys()) {
    if (!after.has(name)) removed.push(name)
    if (slices.isOver) await slices.next()
  }
  return { changed: changed.toSorted(compareCodePoints), removed: removed.toSorted(compareCodePoints) }
}

const bytesAroundName = '{"name":,'.length

/** Returns the bytes of declarations as one JSON each, with their names. */
export async function sizeOfTexts(texts: DeclarationTexts): Promise<number> {
  let bytes = 0
  const slices = new TimeSlices()
  for (const [name, content] of texts) {
    const others = content === '{}' ? 0 : Buffer.byteLength(content) - 1
    bytes += bytesAroundName + Buffer.byteLength(JSON.stringify(name)) + others
    if (slices.isOver) await slices.next()
  }
  return bytes
}
