/** `rollkey.json`: which service, organization, project and stage a folder is about. It holds no secret and is committed. */
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { RollkeyError } from '../errors.ts'
import { nearest } from '../nearest.ts'

const fileName = 'rollkey.json'
const fields = ['url', 'org', 'project', 'stage'] as const

export type SettingName = (typeof fields)[number]

export type ProjectFields = { readonly [name in SettingName]?: string | undefined }

export interface ProjectFile {
  /** Absolute. */
  readonly path: string
  readonly fields: ProjectFields
}

/**
 * The file of this folder, or of the nearest above it up to the one that holds `.git`: what lies outside of a repository
 * does not speak for it. A file that another user could have written is passed over, with a notice. Throws INVALID_SETTING.
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

/** A file that the user has named, no matter who owns it. Throws INVALID_SETTING. */
export function readProjectFile(named: string, cwd: string): ProjectFile {
  const file = path.resolve(cwd, named)
  try {
    return { path: file, fields: fieldsOf(file, readFileSync(file, 'utf8')) }
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** Writes the file of a folder, over one that is there, and gives its path. */
export async function writeProjectFile(folder: string, { url, org, project, stage }: ProjectFields): Promise<string> {
  const file = path.join(folder, fileName)
  await writeFile(file, `${JSON.stringify({ url, org, project, stage }, null, 2)}\n`)
  return file
}

/** The text of a file that only this user and root can have written; undefined if there is none. */
function readOwn(file: string, onIgnored: (notice: string) => void): string | undefined {
  const ignored = (why: string): undefined => {
    onIgnored(`${file} is ignored: ${why}. To use it anyway, name it with --config.`)
  }
  try {
    const entry = lstatSync(file, { throwIfNoEntry: false })
    if (!entry) return undefined
    // Of a link, who made it and who wrote what it points at both count.
    if (isForeign(entry)) return ignored('it belongs to another user')
    // A named pipe would keep the reader waiting.
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

/** A group other than the user's own counts as others; the own group is often the user alone, and then it may write. */
function isWritableByOthers({ mode, gid }: Stats): boolean {
  if (process.getgid === undefined) return false
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid())
}

function fieldsOf(file: string, text: string): ProjectFields {
  const content = parse(file, text)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw invalid(`${file} must be one JSON object with the fields ${fields.join(', ')}.`)
  }
  for (const [name, value] of Object.entries(content)) {
    if (!(fields as readonly string[]).includes(name)) throw unknownField(file, name)
    if (typeof value !== 'string') throw invalid(`${file}: the field ${name} must be a string.`)
  }
  return content
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const { message } = error as SyntaxError
    // V8 tells the position for some mistakes, and quotes the place for the others.
    const position = /at position (\d+)/.exec(message)?.[1]
    const line = position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`
    throw invalid(`${file}${line}: this is not JSON (${message.replaceAll(/\s+/g, ' ')}).`)
  }
}

function unreadable(file: string, error: unknown): RollkeyError {
  if (error instanceof RollkeyError) return error
  return invalid(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
}

function unknownField(file: string, name: string): RollkeyError {
  const [near] = nearest(name, fields)
  const hint = near === undefined ? `the fields are ${fields.join(', ')}` : `did you mean ${near}?`
  return invalid(`${file} has an unknown field ${JSON.stringify(name)}; ${hint}`)
}

function invalid(message: string): RollkeyError {
  return new RollkeyError('INVALID_SETTING', message)
}
