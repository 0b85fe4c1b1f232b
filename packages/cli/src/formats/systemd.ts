import { exit, CliError } from '../frame/cli-error.ts'
import { jsonCommand, refuse, refuseOutsideEnvironment, type Variables } from './refuse.ts'

/** The byte order mark and noncharacters, which systemd does not accept. */
const isRefused = /\ufeff|\p{Noncharacter_Code_Point}/u

/** Maximum total size of the credentials of a unit (`CREDENTIALS_TOTAL_SIZE_MAX` of systemd). */
const maxBytes = 1_048_576

/**
 * Writes the format of `EnvironmentFile=` (systemd.exec(5)): between double quotes, only these four characters are special, and line
 * breaks and tabs stay.
 */
export function systemd(variables: Variables): string {
  refuseOutsideEnvironment(variables)
  const refused = Object.keys(variables).filter((name) => isRefused.test(variables[name] ?? ''))
  refuse('INVALID_VALUE', refused, 'An environment file of systemd cannot hold the value of', jsonCommand)
  return Object.entries(variables)
    .map(([name, value]) => `${name}="${value.replaceAll(/["\\`$]/g, String.raw`\$&`)}"\n`)
    .join('')
}

/** Returns whether a name is valid for a credential of systemd, which is also a file name. */
export function isCredentialName(name: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(name) && !/[/:]/.test(name) && name !== '.' && name !== '..'
}

/** Returns the files of `LoadCredential=` by their names: they hold any value. */
export function systemdCredentials(variables: Variables): Variables {
  const refused = Object.keys(variables).filter((name) => !isCredentialName(name))
  refuse('INVALID_NAME', refused, 'These names are not valid for credentials of systemd', jsonCommand)
  const bytes = Object.values(variables).reduce((sum, value) => sum + Buffer.byteLength(value), 0)
  if (bytes <= maxBytes) return variables
  const what = `The values have ${bytes} bytes (expected at most ${maxBytes}, which systemd passes to a unit)`
  throw new CliError('INVALID_VALUE', what, { status: exit.invalid, command: jsonCommand })
}
