import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { decodeFile } from '@rollkey/contract/rules'
import { exit, CliError, type CliErrorCode } from './cli-error.ts'
import type { Context } from './context.ts'

/**
 * Decodes UTF-8 without the byte order mark that Windows puts first. `name` is that of the file, or stdin. Throws with the line of the
 * first byte that is something else: a replacement would change the text silently.
 */
function decodeUtf8(bytes: Uint8Array, name: string, code: CliErrorCode, command: string): string {
  const decoded = decodeFile(bytes)
  if ('text' in decoded) return decoded.text
  throw new CliError(
    code,
    `${name}, line ${decoded.invalidLine}: Expected UTF-8 text; in PowerShell, write the file with -Encoding utf8`,
    { status: exit.invalid, command },
  )
}

/** Returns the text of a file, or of stdin for `-`. Throws NOT_READ, or an error with `code` if it is not UTF-8. */
export async function readUtf8(context: Context, file: string, code: CliErrorCode, command: string): Promise<string> {
  const { cwd, stdin } = context
  if (file === '-') return decodeUtf8(await buffer(stdin), 'stdin', code, command)
  const bytes = await readFile(path.resolve(cwd, file)).catch((error: NodeJS.ErrnoException) => {
    const isMissing = error.code === 'ENOENT'
    const why = isMissing ? 'does not exist: check its path' : `cannot be read (${error.code}): check its permissions`
    throw new CliError('NOT_READ', `${file} ${why}`)
  })
  return decodeUtf8(bytes, file, code, command)
}
