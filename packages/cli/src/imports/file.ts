import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Context } from '../frame/context.ts'
import { CliError, usage } from '../frame/cli-error.ts'
import { decodeUtf8 } from '../frame/utf8.ts'
import { detect, readers, readImport, type ImportResult, type Source } from './index.ts'

const help = 'rollkey import --help'

/** Reads the variables of a file, or of stdin for `-`. */
export async function importFrom(context: Context, file: string, from: string | undefined): Promise<ImportResult> {
  if (from !== undefined && !isSource(from)) {
    throw usage(`Unknown source ${JSON.stringify(from)} (expected ${Object.keys(readers).join(', ')})`)
  }
  const name = file === '-' ? 'stdin' : file
  const text = decodeUtf8(await bytesOf(context, file), name, 'INVALID_IMPORT', help)
  return readImport(text, name, from ?? detect(text, name))
}

function isSource(text: string): text is Source {
  return Object.hasOwn(readers, text)
}

async function bytesOf({ cwd, stdin }: Context, file: string): Promise<Buffer> {
  if (file === '-') return buffer(stdin)
  try {
    return await readFile(path.resolve(cwd, file))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CliError('NOT_READ', `${file} cannot be read (${code})`, { command: help })
  }
}
