import { decodeFile } from '@rollkey/contract/rules'
import { exit, CliError } from './cli-error.ts'

/**
 * Decodes UTF-8 without the byte order mark that Windows puts first. `name` is that of the file, or stdin. Throws with the line of the
 * first byte that is something else: a replacement would change the text silently.
 */
export function decodeUtf8(bytes: Uint8Array, name: string, code: string, command: string): string {
  const decoded = decodeFile(bytes)
  if ('text' in decoded) return decoded.text
  throw new CliError(
    code,
    `${name}, line ${decoded.invalidLine}: Expected UTF-8 text; in PowerShell, write the file with -Encoding utf8`,
    { status: exit.invalid, command },
  )
}
