/** A desktop with a program in place of the browser. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Setting } from './run.ts'

export interface Desktop {
  readonly setting: Setting
  /** Returns what the browser was asked to open, as a line. */
  readonly opened: () => string | undefined
}

/** Returns a setting on a desktop, whose files are in the folder. */
export function desktopOf({ env, cwd }: Setting, folder: string): Desktop {
  const file = path.join(folder, 'opened')
  const program = path.join(folder, 'bin', 'xdg-open')
  mkdirSync(path.dirname(program), { recursive: true })
  writeFileSync(program, `#!/bin/sh\necho "$@" > ${file}.part\nmv ${file}.part ${file}\n`)
  chmodSync(program, 0o755)
  return {
    setting: { cwd, env: { ...env, DISPLAY: ':9', PATH: `${path.dirname(program)}:${env['PATH']}` } },
    opened: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
  }
}
