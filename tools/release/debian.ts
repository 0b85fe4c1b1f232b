/** The files of Debian that the image needs, from packages that are pinned by SHA-256. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Component } from './sbom.ts'
import type { Entry } from './tar.ts'

interface DebianPackage {
  readonly name: string
  readonly version: string
  /** Path in the archive of Debian, and SHA-256, by architecture of Node. */
  readonly files: Readonly<Record<string, readonly [path: string, sha256: string]>>
  /** What the image takes from it, besides its license. */
  readonly contents: RegExp
}

const gcc = 'pool/main/g/gcc-14'
const glibc = 'pool/main/g/glibc'
const tzdata = [
  'pool/main/t/tzdata/tzdata_2026f-0+deb13u1_all.deb',
  '2c1c561091402883430d0d47c57a3c0aa00b44afc8a6239265065a87211a5c11',
] as const
const certificates = [
  'pool/main/c/ca-certificates/ca-certificates_20250419+deb13u1_all.deb',
  'c10585ac22c7f617a73d394eea29ba71d0356f350ae973b19043d1b017f80f54',
] as const

/** Packages of Debian 13. To update one, take its path and SHA-256 from `apt-cache show`. */
const debianPackages: readonly DebianPackage[] = [
  {
    name: 'libc6',
    version: '2.41-12+deb13u5',
    files: {
      x64: [
        `${glibc}/libc6_2.41-12+deb13u5_amd64.deb`,
        'b59b0625cd1a791375d40dab23a4d5d3d0641e3d0a773501becdc3725b7f99cf',
      ],
      arm64: [
        `${glibc}/libc6_2.41-12+deb13u5_arm64.deb`,
        '0966fc3da1a26cc57647c68b5736f791b6e7eb498173a7993f63b6c89b4ed4f5',
      ],
    },
    // What Node links, and what resolves host names.
    contents: /\/(ld-linux[^/]*|lib(c|dl|m|pthread|resolv|nss_dns|nss_files))\.so\.\d$/,
  },
  {
    name: 'libgcc-s1',
    version: '14.2.0-19',
    files: {
      x64: [`${gcc}/libgcc-s1_14.2.0-19_amd64.deb`, '3c71917b490d1a17aed43196a2787a256ecf060526cdb20216a74bedc061b150'],
      arm64: [
        `${gcc}/libgcc-s1_14.2.0-19_arm64.deb`,
        '1108bc87879833d6d9a145f22a4a15cddb34e065b4b5f4b97bee586adbac2851',
      ],
    },
    contents: /\/libgcc_s\.so\.1$/,
  },
  {
    name: 'libstdc++6',
    version: '14.2.0-19',
    files: {
      x64: [
        `${gcc}/libstdc++6_14.2.0-19_amd64.deb`,
        'ab1fa05837aa7a92aae748fd07a18a35f7d18bb4a71c4724fe2bbf0e32089de0',
      ],
      arm64: [
        `${gcc}/libstdc++6_14.2.0-19_arm64.deb`,
        '6669b0c52a2e7c6af9adfdabce3ff6e286065cdfbc7b85280862b5f799daebee',
      ],
    },
    contents: /\/libstdc\+\+\.so\.6[\d.]*$/,
  },
  {
    name: 'tzdata',
    version: '2026f-0+deb13u1',
    files: { x64: tzdata, arm64: tzdata },
    contents: /^usr\/share\/zoneinfo\//,
  },
  {
    name: 'ca-certificates',
    version: '20250419+deb13u1',
    files: { x64: certificates, arm64: certificates },
    contents: /^usr\/share\/ca-certificates\/.*\.crt$/,
  },
]

/** The archive of Debian, and the one that keeps superseded packages. */
const archives = ['https://deb.debian.org/debian', 'https://snapshot.debian.org/archive/debian/20261120T000000Z']

/** Packages that earlier builds downloaded. */
const cache = path.resolve(import.meta.dirname, '../../node_modules/.cache/debian')

async function download(location: string): Promise<Buffer> {
  const failures: string[] = []
  for (const archive of archives) {
    try {
      const answer = await fetch(`${archive}/${location}`)
      if (answer.ok) return Buffer.from(await answer.arrayBuffer())
      failures.push(`${archive}: ${answer.status}`)
    } catch (error) {
      failures.push(`${archive}: ${String(error)}`)
    }
  }
  throw new Error(`${location} cannot be downloaded (${failures.join('; ')}).`)
}

/** Returns the file of a package, which later builds find in the cache. Throws if its content differs from the pinned one. */
async function fetchPackage([location, sha256]: readonly [string, string]): Promise<string> {
  const file = path.join(cache, path.basename(location))
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true })
    writeFileSync(file, await download(location))
  }
  const found = createHash('sha256').update(readFileSync(file)).digest('hex')
  if (found !== sha256) throw new Error(`${file} has SHA-256 ${found} (expected ${sha256}): delete it and build again.`)
  return file
}

/** Returns whether the packages can be unpacked here, and are in the cache or can be downloaded. */
export async function hasDebianPackages(arch: string): Promise<boolean> {
  if (spawnSync('dpkg-deb', ['--version']).status !== 0) return false
  const locations = debianPackages.map(({ files }) => files[arch]?.[0] ?? '')
  if (locations.every((location) => existsSync(path.join(cache, path.basename(location))))) return true
  return fetch(`${archives[0]}/${locations[0]}`, { method: 'HEAD' }).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Returns the component of a package in a bill of materials. */
function componentOf({ name, version }: DebianPackage, sha256: string, arch: string): Component {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}&distro=debian-13`
  return { type: 'library', name, version, purl, hashes: [{ alg: 'SHA-256', content: sha256 }] }
}

function entryOf(folder: string, name: string): Entry {
  const file = path.join(folder, name)
  const state = lstatSync(file)
  if (state.isSymbolicLink()) return { path: name, mode: 0o777, link: readlinkSync(file) }
  return { path: name, mode: state.mode & 0o777, content: readFileSync(file) }
}

/** Returns the files of the packages, the names by which scanners recognize them, and their components. */
export async function debianFiles(
  arch: string,
  folder: string,
): Promise<{ entries: Entry[]; components: Component[] }> {
  const entries: Entry[] = []
  const components: Component[] = []
  for (const each of debianPackages) {
    const pinned = each.files[arch]
    if (!pinned) throw new Error(`${each.name} is not pinned for ${arch} (expected x64 or arm64).`)
    const file = await fetchPackage(pinned)
    const unpacked = path.join(folder, each.name)
    execFileSync('dpkg-deb', ['--extract', file, unpacked])
    const names = readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map(({ parentPath, name }) => path.relative(unpacked, path.join(parentPath, name)))
    const taken = names.filter((name) => each.contents.test(name) || name === `usr/share/doc/${each.name}/copyright`)
    entries.push(...taken.map((name) => entryOf(unpacked, name)))
    const control = execFileSync('dpkg-deb', ['--field', file])
    entries.push({ path: `var/lib/dpkg/status.d/${each.name}`, mode: 0o644, content: control })
    components.push(componentOf(each, pinned[1], arch))
  }
  return { entries, components }
}
