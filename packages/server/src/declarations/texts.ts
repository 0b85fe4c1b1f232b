/**
 * Declarations as they are stored: the JSON of each, with its fields in one order. What is declared is compared by these texts, so that a
 * change of one declaration reads none of the others.
 */
import { plainDeclaration, type Declaration } from '@rollkey/contract'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { DeclarationRow } from '../storage/declarations.ts'

/** The JSON of declarations without their names, by name. */
export type DeclarationTexts = ReadonlyMap<string, string>

/** Returns the text of a declaration. */
export function textOf(declaration: Declaration): string {
  const { name: _, ...content } = plainDeclaration(declaration)
  return JSON.stringify(content)
}

/** Returns the declarations of rows, in their order. */
export async function declarationsOfRows(rows: readonly DeclarationRow[]): Promise<Declaration[]> {
  const declarations: Declaration[] = []
  const slices = new TimeSlices()
  for (const { name, content } of rows) {
    declarations.push({ name, ...(JSON.parse(content) as Omit<Declaration, 'name'>) })
    if (slices.isOver) await slices.next()
  }
  return declarations
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
