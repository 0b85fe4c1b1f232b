/**
 * Builds the service and the command line as single executables: a Node with the bundle inside (Node's single executable
 * applications). Writes them to `dist`. The command line is also built for Windows.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bundleForExecutable } from './bundles.ts'

const root = path.resolve(import.meta.dirname, '../..')
const packages = path.join(root, 'packages')
const output = path.join(root, 'dist')
const postject = path.join(root, 'node_modules/postject/dist/cli.js')
/** Place in Node that says whether an application is inside (documented for single executable applications). */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

interface Program {
  readonly name: string
  readonly source: string
  /** Folder with the files inside, and their names in it. */
  readonly assets: { readonly folder: string; readonly names: readonly string[] }
  /** Options of Node. */
  readonly execArgv: readonly string[]
}

/** Names of the files inside the executable of the service. */
const shipped = /^(cli|dashboard|docs|migrations)\/|^(scrypt|checkpoint)-thread\.js$|^NOTICE\.txt$/

/** Returns the files that the service ships with (`base/shipped-files.ts`), from its release build. */
function serverAssets(): Program['assets'] {
  const folder = path.join(packages, 'server/dist')
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = files.map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
  return { folder, names: names.filter((name) => shipped.test(name)).toSorted() }
}

function programs(): readonly Program[] {
  return [
    {
      name: 'rollkey-server',
      source: path.join(packages, 'server/src/main.ts'),
      assets: serverAssets(),
      // A signal must not open the inspector, which can read every secret.
      execArgv: ['--disable-sigusr1'],
    },
    {
      name: 'rollkey',
      source: path.join(packages, 'cli/src/main.ts'),
      assets: { folder: '', names: [] },
      execArgv: [],
    },
  ]
}

/** A system and architecture as in the names of the packages with Node: "linux-x64". */
type Target = `${'linux' | 'win'}-${string}`

function targetOfThisMachine(): Target {
  return `linux-${process.arch}`
}

/** Returns the executable of Node for a target, from the package of the lock file. */
function nodeFor(target: Target, folder: string): string {
  const name = `node-${target}`
  const file = target.startsWith('win') ? 'bin/node.exe' : 'bin/node'
  const installed = path.join(root, 'node_modules', name, file)
  if (existsSync(installed)) return installed
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string } | undefined>>
  }
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {}
  const tarball = execFileSync('npm', ['pack', '--silent', `${name}@${version}`], {
    cwd: folder,
    encoding: 'utf8',
  }).trim()
  const hash = createHash('sha512')
    .update(readFileSync(path.join(folder, tarball)))
    .digest('base64')
  if (`sha512-${hash}` !== integrity) throw new Error(`${tarball} differs from the lock file (expected ${integrity}).`)
  execFileSync('tar', ['-xzf', tarball, `package/${file}`], { cwd: folder })
  return path.join(folder, 'package', file)
}

/** Builds a program for a target. */
function assemble({ name, assets, execArgv }: Program, target: Target, folder: string): void {
  const blob = `${name}.blob`
  const config = `${name}.json`
  const settings = {
    // Two builds are equal: the path of the main file, which is part of the executable, is relative, and chance is fixed.
    main: `${name}.cjs`,
    output: blob,
    disableExperimentalSEAWarning: true,
    // Compiled code is only valid where it was compiled.
    useCodeCache: target === targetOfThisMachine(),
    execArgv,
    execArgvExtension: 'env',
    assets: Object.fromEntries(assets.names.map((each) => [each, path.join(assets.folder, each)])),
  }
  writeFileSync(path.join(folder, config), JSON.stringify(settings))
  execFileSync(nodeFor(targetOfThisMachine(), folder), ['--random-seed=1', '--experimental-sea-config', config], {
    cwd: folder,
    stdio: 'pipe',
  })
  const file = path.join(output, `${name}-${target}${target.startsWith('win') ? '.exe' : ''}`)
  copyFileSync(nodeFor(target, folder), file)
  chmodSync(file, 0o755)
  execFileSync(process.execPath, [postject, file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse], {
    cwd: folder,
    stdio: 'pipe',
  })
  console.log(`Built ${path.relative(root, file)}: ${Math.round(readFileSync(file).length / 1e6)} MB.`)
}

/** Builds each program for the targets that `targetsOf` returns for its name. */
async function buildPrograms(version: string, targetsOf: (name: string) => readonly Target[]): Promise<void> {
  mkdirSync(output, { recursive: true })
  const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-executables-'))
  try {
    for (const program of programs()) {
      const targets = targetsOf(program.name)
      if (targets.length === 0) continue
      await bundleForExecutable(program.source, path.join(folder, `${program.name}.cjs`), version)
      for (const target of targets) assemble(program, target, folder)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Builds both programs for architectures of Linux. Needs the release build of the packages. */
export async function buildExecutables(
  version: string,
  architectures: readonly string[] = [process.arch],
): Promise<void> {
  await buildPrograms(version, () => architectures.map((arch): Target => `linux-${arch}`))
}

/** Builds the command line for Windows. npm has no current Node for macOS, whose programs also have to be signed there. */
export async function buildForWindows(version: string): Promise<void> {
  await buildPrograms(version, (name) => (name === 'rollkey' ? ['win-x64'] : []))
}
