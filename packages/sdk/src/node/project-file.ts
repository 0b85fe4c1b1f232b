/** `rollkey.json`: which service, organization, project and stage a folder is about. It holds no secret and is committed. */
import { existsSync, readFileSync } from 'node:fs'
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
 * does not speak for it. Throws INVALID_SETTING.
 */
export function findProjectFile(cwd: string): ProjectFile | undefined {
  const folder = path.resolve(cwd)
  const file = path.join(folder, fileName)
  if (existsSync(file)) return { path: file, fields: readFields(file) }
  const above = path.dirname(folder)
  if (above === folder || existsSync(path.join(folder, '.git'))) return undefined
  return findProjectFile(above)
}

/** Writes the file of a folder, over one that is there, and gives its path. */
export async function writeProjectFile(folder: string, { url, org, project, stage }: ProjectFields): Promise<string> {
  const file = path.join(folder, fileName)
  await writeFile(file, `${JSON.stringify({ url, org, project, stage }, null, 2)}\n`)
  return file
}

function readFields(file: string): ProjectFields {
  const content = parse(file)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw invalid(`${file} must be one JSON object with the fields ${fields.join(', ')}.`)
  }
  for (const [name, value] of Object.entries(content)) {
    if (!(fields as readonly string[]).includes(name)) throw unknownField(file, name)
    if (typeof value !== 'string') throw invalid(`${file}: the field ${name} must be a string.`)
  }
  return content
}

function parse(file: string): unknown {
  const text = readText(file)
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

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw invalid(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

function unknownField(file: string, name: string): RollkeyError {
  const [near] = nearest(name, fields)
  const hint = near === undefined ? `the fields are ${fields.join(', ')}` : `did you mean ${near}?`
  return invalid(`${file} has an unknown field ${JSON.stringify(name)}; ${hint}`)
}

function invalid(message: string): RollkeyError {
  return new RollkeyError('INVALID_SETTING', message)
}
