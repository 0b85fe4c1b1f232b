/** The published packages, and a user project that has installed them. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { oneThread } from '../../../server/testkit/one-thread.ts'

export const root = path.resolve(import.meta.dirname, '../../../..')
export const fixtures = path.join(import.meta.dirname, 'fixture')
export const packages = ['sdk', 'cli', 'openfeature'] as const
/** The contract is not published: the builds of the others contain its rules. */
const sources = ['contract', ...packages] as const

export const compilers = {
  'TypeScript 4.9': path.join(root, 'node_modules/typescript-4/bin/tsc'),
  'TypeScript 5.9': path.join(root, 'node_modules/typescript-5/bin/tsc'),
  'TypeScript 7': path.join(root, 'node_modules/typescript/bin/tsc'),
}

const execute = promisify(execFile)

/** Runs a program and returns its stdout. Throws with its whole output unless it exits with 0. */
export async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await execute(command, [...args], { cwd, env: { ...process.env, ...oneThread } })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${path.basename(command)} ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error })
  }
}

/** Builds a copy of the workspace, since the build in the checkout may be outdated or in progress. */
async function buildCopy(folder: string): Promise<string> {
  const copy = path.join(folder, 'workspace')
  const parts = ['package.json', 'tsconfig.json', 'tools', ...sources.map((name) => `packages/${name}`)]
  for (const part of parts) {
    const isSource = (file: string): boolean => !['dist', 'node_modules', 'test'].includes(path.basename(file))
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true, filter: isSource })
  }
  const modules = path.join(copy, 'node_modules')
  const ours = path.join(modules, '@rollkey')
  mkdirSync(ours, { recursive: true })
  for (const name of readdirSync(path.join(root, 'node_modules')).filter((entry) => entry !== '@rollkey')) {
    symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name))
  }
  for (const name of sources) {
    symlinkSync(path.join(copy, 'packages', name), path.join(ours, name))
    const own = path.join('packages', name, 'node_modules')
    if (existsSync(path.join(root, own))) symlinkSync(path.join(root, own), path.join(copy, own))
  }
  await run(process.execPath, ['tools/build.mjs', 'sdk', 'openfeature', 'cli'], copy)
  return copy
}

export interface Project {
  readonly folder: string
  tarballOf(name: (typeof packages)[number]): string
  /** Creates a folder in the project with these files and a tsconfig.json. */
  part(name: string, files: Readonly<Record<string, string>>, compilerOptions: object): string
  remove(): void
}

/** Installs from tarballs alone, without the network or a cache. */
export async function installProject(): Promise<Project> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-package-'))
  const workspace = await buildCopy(folder)
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
  const peers = ['core', 'server-sdk'].map((name) => `./node_modules/@openfeature/${name}`)
  await run('npm', [...pack, ...packages.map((name) => `./packages/${name}`), ...peers], workspace)
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--cache', path.join(folder, '.npm')]
  await run('npm', [...install, ...tarballs.map((name) => `./${name}`)], folder)
  cpSync(path.join(fixtures, 'smoke.mjs.txt'), path.join(folder, 'smoke.mjs'))
  return {
    folder,
    tarballOf: (name) => path.join(folder, tarballs.find((tarball) => tarball.startsWith(`rollkey-${name}-`)) ?? ''),
    part(name, files, compilerOptions) {
      const part = path.join(folder, name)
      mkdirSync(part)
      const options = { strict: true, module: 'nodenext', target: 'es2022', noEmit: true, ...compilerOptions }
      writeFileSync(path.join(part, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
      for (const [file, text] of Object.entries(files)) writeFileSync(path.join(part, file), text)
      return part
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
