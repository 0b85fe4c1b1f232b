import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { writeFileAtomically } from '@rollkey/sdk/node'

/** Returns the text of a file, or an empty text if there is no file. */
export function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** Replaces a file atomically, so that a compiler or editor that watches it never reads half of it. Creates its folders. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  // Declarations are not secret, unlike what the SDK writes by default.
  await writeFileAtomically(file, text, { mode: 0o666 })
}
