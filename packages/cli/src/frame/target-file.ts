/** Files that commands write for other programs: readable only by the user, complete or not at all. */
import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { writeFileAtomically } from '@rollkey/sdk/node'
import { exit, CliError } from './cli-error.ts'
import type { Context } from './context.ts'

/** A file or folder to write: as the user named it, its absolute path, and the help to try after an error. */
export interface Target {
  readonly name: string
  readonly path: string
  readonly help: string
}

/** Returns the file to write. Throws FILE_EXISTS if a link, a pipe, a device or a folder is there, which must not be replaced. */
export function targetFile({ cwd }: Context, name: string, help: string): Target {
  const target = { name, path: path.resolve(cwd, name), help }
  const existing = lstatSync(target.path, { throwIfNoEntry: false })
  if (!existing || existing.isFile()) return target
  throw exists(target, 'is not a regular file and was not replaced; choose another, or omit -o and redirect stdout')
}

/** Returns the folder to write. Throws FILE_EXISTS if something else is there. */
export function targetFolder({ cwd }: Context, name: string, help: string): Target {
  const target = { name, path: path.resolve(cwd, name), help }
  const existing = lstatSync(target.path, { throwIfNoEntry: false })
  if (!existing || existing.isDirectory()) return target
  throw exists(target, 'is not a folder (expected one, or nothing); choose another')
}

/** Writes a file. Throws NOT_WRITTEN. */
export async function writeTarget(target: Target, text: string): Promise<void> {
  try {
    await writeFileAtomically(target.path, text)
  } catch (error) {
    throw notWritten(target, error, 'it is unchanged')
  }
}

/**
 * Writes the files of a folder, each complete or not at all. Deletes none: throws FILE_EXISTS if the folder has others, since a reader
 * would take them too. Throws NOT_WRITTEN.
 */
export async function writeFolder(target: Target, files: Readonly<Record<string, string>>): Promise<void> {
  try {
    mkdirSync(target.path, { recursive: true, mode: 0o700 })
    const others = readdirSync(target.path).filter((name) => !Object.hasOwn(files, name))
    if (others.length > 0) {
      const shown = others.slice(0, 10).join(', ')
      throw exists(
        target,
        `has files that are not variables of the stage: ${shown}; remove them, or choose another folder`,
      )
    }
    for (const [name, text] of Object.entries(files)) {
      // oxlint-disable-next-line no-await-in-loop -- a failure leaves the rest as it is
      await writeFileAtomically(path.join(target.path, name), text)
    }
  } catch (error) {
    if (error instanceof CliError) throw error
    throw notWritten(target, error, 'some of its files may be new')
  }
}

function exists({ name, help }: Target, what: string): CliError {
  return new CliError('FILE_EXISTS', `${name} ${what}`, { status: exit.invalid, command: help })
}

function notWritten({ name, help }: Target, error: unknown, state: string): CliError {
  const { code } = error as NodeJS.ErrnoException
  return new CliError('NOT_WRITTEN', `${name} cannot be written (${code}); ${state}`, { command: help })
}
