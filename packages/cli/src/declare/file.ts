/** The JSON Schema of what a project expects of its variables, as people keep it in git. */
import path from 'node:path'
import { readFileSync } from 'node:fs'
import type { DeclarationsDocument } from '@rollkey/contract/rules'
import { CliError, exit } from '../frame/cli-error.ts'
import type { Context } from '../frame/context.ts'
import { replaceFile } from '../typegen/file.ts'

/** The file that commands use unless another is named. */
export const declarationsFile = 'rollkey.declarations.json'

/** Reads a document. Throws CliError. */
export function readDocument({ cwd }: Pick<Context, 'cwd'>, file: string): DeclarationsDocument {
  const text = textIn(path.resolve(cwd, file), file)
  const document = parsed(text)
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document
  throw new CliError('INVALID_FILE', `${file} is not a JSON Schema (expected an object with "properties")`, {
    status: exit.invalid,
  })
}

function textIn(full: string, file: string): string {
  try {
    return readFileSync(full, 'utf8')
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const what = isMissing
      ? `does not exist: write it with rollkey declare pull, or propose one from code`
      : 'cannot be read'
    throw new CliError('INVALID_FILE', `${file} ${what}`, {
      status: exit.usage,
      command: isMissing ? `rollkey declare from-code . -o ${file}` : 'rollkey declare --help',
    })
  }
}

function parsed(text: string): DeclarationsDocument | undefined {
  try {
    return JSON.parse(text) as DeclarationsDocument
  } catch {
    return undefined
  }
}

/** Writes a document. */
export async function writeDocument({ cwd }: Pick<Context, 'cwd'>, file: string, text: string): Promise<void> {
  await replaceFile(path.resolve(cwd, file), text)
}
