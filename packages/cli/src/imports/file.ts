import type { Context } from '../frame/context.ts'
import { usage } from '../frame/cli-error.ts'
import { readUtf8 } from '../frame/utf8.ts'
import { detect, readers, readImport, type ImportResult, type Source } from './index.ts'

/** Reads the variables of a file, or of stdin for `-`. */
export async function importFrom(context: Context, file: string, from: string | undefined): Promise<ImportResult> {
  if (from !== undefined && !isSource(from)) {
    throw usage(`Unknown source ${JSON.stringify(from)} (expected ${Object.keys(readers).join(', ')})`)
  }
  const name = file === '-' ? 'stdin' : file
  const text = await readUtf8(context, file, 'INVALID_IMPORT', 'rollkey import --help')
  return readImport(text, name, from ?? detect(text, name))
}

function isSource(text: string): text is Source {
  return Object.hasOwn(readers, text)
}
