import { existsSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../..')

/** Returns this Node and that of the machine, which may be older, since the checkout brings its own. */
export function nodes(): string[] {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => !folder.startsWith(root))
  const found = folders.map((folder) => path.join(folder, 'node')).find((file) => existsSync(file))
  return [...new Set([process.execPath, found ?? process.execPath])]
}
