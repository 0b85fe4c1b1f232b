/**
 * The files that come with the code: beside their sources in a checkout, beside the code in a release build, and inside a single
 * executable.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { getAsset, getAssetKeys, getRawAsset, isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'

/** The version, which only the release build defines. */
declare const ROLLKEY_VERSION: string | undefined

const isCheckout = typeof ROLLKEY_VERSION === 'undefined'

/** The program as an operator spells it: with npx by the name of our package, because npx runs any package of the registry. */
export const operatorProgram = isCheckout ? 'npx @rollkey/server' : 'rollkey-server'

/** The folders, and where they are in a checkout. The first part of a path in a release build is the name. */
const folders = {
  migrations: '../storage/migrations/',
  dashboard: '../../../dashboard/dist/',
  cli: '../../../cli/dist/',
  docs: '../../../../docs/.vitepress/dist/',
} as const

/** A file that a checkout has in place of its documentation if that could not be built. */
export const failedBuild = 'build-failed'

export interface Files {
  /** Paths of the files, relative to their folder. */
  readonly names: readonly string[]
  read(name: string): Buffer
}

/** Returns the files of a folder and its subfolders; none if it does not exist. */
export function filesIn(folder: string): Files {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
  const start = path.join(folder, '/').length
  const files = entries.filter((entry) => entry.isFile())
  return {
    names: files.map(({ parentPath, name }) => path.join(parentPath, name).slice(start)),
    read: (name) => readFileSync(path.join(folder, name)),
  }
}

/** Returns the files inside a single executable whose names begin with the prefix, without copying them. */
function embeddedFiles(prefix: string): Files {
  const keys = getAssetKeys().filter((key) => key.startsWith(prefix))
  return {
    names: keys.map((key) => key.slice(prefix.length)),
    read: (name) => Buffer.from(getRawAsset(prefix + name)),
  }
}

/** Returns the files of a folder that the service ships with. */
export function shippedFiles(name: keyof typeof folders): Files {
  if (isSea()) return embeddedFiles(`${name}/`)
  return filesIn(fileURLToPath(new URL(isCheckout ? folders[name] : `./${name}/`, import.meta.url)))
}

/** Returns the URL of the code of a thread. `source`: its URL in a checkout. */
export function threadUrl(source: URL): URL {
  const name = path.basename(source.pathname).replace(/\.ts$/, '.js')
  if (isSea()) return new URL(`data:text/javascript,${encodeURIComponent(getAsset(name, 'utf8'))}`)
  return isCheckout ? source : new URL(name, import.meta.url)
}

/** Returns the version of this service. */
export function shippedVersion(): string {
  if (!isCheckout) return ROLLKEY_VERSION
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
