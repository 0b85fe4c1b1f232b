/** `rollkey.json`: the service, organization, project and stage of a folder. It holds no secret and is committed. */
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { RollkeyError } from '../errors.ts'
import { nearest } from '../nearest.ts'

const fileName = 'rollkey.json'
const fields = ['url', 'org', 'project', 'stage'] as const

/** A field of `rollkey.json`. */
export type SettingName = (typeof fields)[number]

/** The fields of `rollkey.json`: address of the service, and slugs of organization, project and stage. All are optional. */
export type ProjectFields = { readonly [name in SettingName]?: string | undefined }

/** A project file that was read. */
export interface ProjectFile {
  /** Absolute path. */
  readonly path: string
  readonly fields: ProjectFields
}

/**
 * Returns the project file of this folder, or of the nearest folder above it up to the one that contains `.git`, since a
 * file outside a repository does not apply to it. Skips a file that another user could have written, with a notice. Throws
 * INVALID_SETTING.
 */
export function findProjectFile(cwd: string, onIgnored: (notice: string) => void): ProjectFile | undefined {
  const folder = path.resolve(cwd)
  const file = path.join(folder, fileName)
  const found = readOwn(file, onIgnored)
  if (found !== undefined) return { path: file, fields: fieldsOf(file, found) }
  const above = path.dirname(folder)
  if (above === folder || existsSync(path.join(folder, '.git'))) return undefined
  return findProjectFile(above, onIgnored)
}

/** Reads a file that the user has named, regardless of its owner. Throws INVALID_SETTING. */
export function readProjectFile(named: string, cwd: string): ProjectFile {
  const file = path.resolve(cwd, named)
  try {
    return { path: file, fields: fieldsOf(file, readFileSync(file, 'utf8')) }
  } catch (error) {
    throw unreadable(file, error)
  }
}

/**
 * Writes the project file of a folder, replacing an existing one but for its `$schema`. Returns its path.
 *
 * @throws The errors of the file system.
 * @example
 * await writeProjectFile('.', { url: 'https://rollkey.example.com', project: 'shop', stage: 'dev' })
 */
export async function writeProjectFile(folder: string, { url, org, project, stage }: ProjectFields): Promise<string> {
  const file = path.join(folder, fileName)
  const $schema = schemaOf(readOwn(file, () => {}))
  await writeFile(file, `${JSON.stringify({ $schema, url, org, project, stage }, null, 2)}\n`)
  return file
}

/** Returns the `$schema` that editors read; undefined if the file is missing, has none or is not valid. */
function schemaOf(text: string | undefined): string | undefined {
  try {
    const { $schema } = JSON.parse(text ?? '{}') as { readonly $schema?: unknown }
    return typeof $schema === 'string' ? $schema : undefined
  } catch {
    return undefined
  }
}

/** Reads a file that only this user or root can have written. Returns undefined if there is none. */
function readOwn(file: string, onIgnored: (notice: string) => void): string | undefined {
  const ignored = (why: string): undefined => {
    onIgnored(`Ignored ${file}: ${why}. To use it anyway, pass connect({ config }).`)
  }
  try {
    const entry = lstatSync(file, { throwIfNoEntry: false })
    if (!entry) return undefined
    // For a link, both the owner of the link and the owner of its target count.
    if (isForeign(entry)) return ignored('it belongs to another user')
    // Without O_NONBLOCK, a named pipe would block the reader.
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = fstatSync(handle)
      if (isForeign(stats)) return ignored('it belongs to another user')
      if (isWritableByOthers(stats)) return ignored('other users can write to it')
      return readFileSync(handle, 'utf8')
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    throw unreadable(file, error)
  }
}

function isForeign({ uid }: Stats): boolean {
  const own = process.getuid?.()
  return own !== undefined && uid !== own && uid !== 0
}

/** Returns whether other users can write. The user's own group may write, since it often contains only the user. */
function isWritableByOthers({ mode, gid }: Stats): boolean {
  if (process.getgid === undefined) return false
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid())
}

/** Returns the fields, without the `$schema` that editors read. Throws INVALID_SETTING. */
function fieldsOf(file: string, text: string): ProjectFields {
  const content = parse(file, text)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw invalid(`${file} must contain one JSON object with the fields ${fields.join(', ')}.`)
  }
  const { $schema: _, ...settings } = content as Readonly<Record<string, unknown>>
  for (const [name, value] of Object.entries(settings)) {
    if (!(fields as readonly string[]).includes(name)) throw unknownField(file, name)
    if (typeof value !== 'string') throw invalid(`${file}: the field ${name} must be a string.`)
  }
  return settings
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const { message } = error as SyntaxError
    // V8 reports the position for some mistakes and quotes the text for the others.
    const position = /at position (\d+)/.exec(message)?.[1]
    const line = position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`
    throw invalid(`${file}${line}: expected JSON (${message.replaceAll(/\s+/g, ' ')}).`)
  }
}

function unreadable(file: string, error: unknown): RollkeyError {
  if (error instanceof RollkeyError) return error
  return invalid(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}). Check its path and permissions.`)
}

function unknownField(file: string, name: string): RollkeyError {
  const [near] = nearest(name, fields)
  const hint = near === undefined ? '.' : `. Did you mean ${near}?`
  return invalid(`${file} has an unknown field ${JSON.stringify(name)} (expected ${fields.join(', ')})${hint}`)
}

function invalid(message: string): RollkeyError {
  return new RollkeyError('INVALID_SETTING', message)
}
