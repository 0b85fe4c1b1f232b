import type { Context } from '../frame/context.ts'
import { readUtf8 } from '../frame/utf8.ts'
import { secretOf, type ImportResult } from './entry.ts'
import { detect, readImport, type Format } from './index.ts'

/** Reads the variables of a file, or of stdin for `-`. */
export async function importFile(context: Context, file: string, from: Format | undefined): Promise<ImportResult> {
  const name = file === '-' ? 'stdin' : file
  const text = await readUtf8(context, file, 'INVALID_IMPORT', 'rollkey import --help')
  const { entries, notes } = readImport(text, name, from ?? detect(text, name))
  return { variables: entries.map((entry) => ({ entry: secretOf(entry) })), unmapped: [], notes }
}
