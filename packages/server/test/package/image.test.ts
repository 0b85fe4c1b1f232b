/** Checks the image: what is in it, and that nothing is missing. Its packages of Debian come from the network or from a cache. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasDebianPackages } from '../../../../tools/release/debian.ts'
import { assembleImage } from '../../../../tools/release/image.ts'
import { isLong } from '../../testkit/long.ts'
import { emptyFolder, run } from './project.ts'

const { folder, remove } = emptyFolder()
const layout = path.join(folder, 'layout')
const files = path.join(folder, 'files')
let image: { readonly archive: Buffer; readonly digest: string }

interface Manifest {
  readonly config: { readonly digest: string }
  readonly layers: readonly { readonly digest: string; readonly size: number }[]
}

function blob(digest: string): string {
  return path.join(layout, 'blobs', digest.replace(':', '/'))
}

function json(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}

describe.skipIf(!(await hasDebianPackages(process.arch)))('the image', () => {
  let manifest: Manifest

  beforeAll(async () => {
    image = await assembleImage('0.1.0', process.arch)
    for (const each of [layout, files]) mkdirSync(each)
    writeFileSync(path.join(folder, 'image.tar'), image.archive)
    execFileSync('tar', ['-xf', path.join(folder, 'image.tar'), '-C', layout])
    manifest = json(blob(image.digest)) as Manifest
    for (const { digest } of manifest.layers) execFileSync('tar', ['-xzf', blob(digest), '-C', files])
  }, 60_000)
  afterAll(remove)

  test.runIf(isLong)('has one digest in two builds', async () => {
    expect((await assembleImage('0.1.0', process.arch)).digest).toBe(image.digest)
  })

  test('has at most 90 MB', () => {
    expect(manifest.layers.reduce((bytes, { size }) => bytes + size, 0)).toBeLessThan(90e6)
    expect(json(path.join(layout, 'index.json'))).toMatchObject({ manifests: [{ digest: image.digest }] })
  })

  test('runs as a user without rights and checks its health by itself', () => {
    expect(json(blob(manifest.config.digest))).toMatchObject({
      os: 'linux',
      config: {
        User: '65532:65532',
        Entrypoint: ['/usr/bin/rollkey-server'],
        Healthcheck: { Test: ['CMD', '/usr/bin/rollkey-server', 'health'] },
        Labels: { 'org.opencontainers.image.version': '0.1.0' },
      },
    })
  })

  test('has no program but the service', () => {
    expect(readdirSync(path.join(files, 'usr/bin'))).toEqual(['rollkey-server'])
    for (const folderOfPrograms of ['bin', 'sbin', 'usr/sbin', 'usr/local'])
      expect(existsSync(path.join(files, folderOfPrograms))).toBe(false)
  })

  test('has every library that the service needs, certificates, time zones and a bill of materials', async () => {
    const [loader = ''] = readdirSync(path.join(files, 'usr/lib'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\/ld-linux[^/]*$/.test(name),
    )
    const libraries = path.join(files, 'usr/lib', path.dirname(loader))
    const program = path.join(files, 'usr/bin/rollkey-server')
    const list = ['--inhibit-cache', '--library-path', libraries, '--list', program]
    const listed = await run(path.join(files, 'usr/lib', loader), list, { cwd: folder })
    const found = listed.split('\n').filter((line) => line.includes('=>'))
    expect(found.length).toBeGreaterThan(4)
    expect(found.filter((line) => !line.includes(`=> ${files}`) && !line.includes('ld-linux'))).toEqual([])
    const certificates = readFileSync(path.join(files, 'etc/ssl/certs/ca-certificates.crt'), 'utf8')
    expect(certificates.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(100)
    expect(existsSync(path.join(files, 'usr/share/zoneinfo/Europe/Berlin'))).toBe(true)
    const bom = path.join(files, 'usr/share/doc/rollkey-server/sbom.cdx.json')
    const { components } = json(bom) as { readonly components: readonly { readonly name: string }[] }
    expect(components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['better-auth', 'libc6', 'node', 'tzdata']),
    )
  })

  test.runIf(process.getuid?.() === 0)('starts with nothing but its files', () => {
    const args = ['--userspec=65532:65532', files, '/usr/bin/rollkey-server', '--version']
    expect(execFileSync('chroot', args, { encoding: 'utf8' })).toBe('0.1.0\n')
  })
})
