/** Tests what a release and the workflows rely on. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

interface PackageFile {
  readonly version: string
  readonly private?: boolean
  readonly repository: { readonly url: string; readonly directory: string }
  readonly engines: object
  readonly publishConfig?: object
  readonly files: readonly string[]
  readonly scripts: Readonly<Record<string, string>>
}

const root = path.resolve(import.meta.dirname, '..')
const published = ['cli', 'contract', 'openfeature', 'sdk', 'server']
/** Packages that a checkout runs from their sources. `npm run build:release` writes their published form. */
const publishedFromBuild = ['contract', 'server']

function packageFile(folder: string): PackageFile {
  return JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as PackageFile
}

test.each(readdirSync(path.join(root, 'packages')))(
  'packages/%s says where it is from and whether it is published',
  (name) => {
    const { repository, private: isPrivate, engines, files, publishConfig } = packageFile(`packages/${name}`)
    expect(repository).toMatchObject({
      url: 'git+https://github.com/rollkey/rollkey.git',
      directory: `packages/${name}`,
    })
    expect(isPrivate ?? false).toBe(!published.includes(name) || publishedFromBuild.includes(name))
    expect(publishConfig).toEqual(isPrivate === true ? undefined : { access: 'public', provenance: true })
    expect(engines).toEqual(packageFile('.').engines)
    expect(files.length).toBeGreaterThan(0)
  },
)

test('after the first release, the README and the pages name npm in place of a checkout', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-texts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = [
    'README.md',
    'docs/install.md',
    'docs/cli.md',
    'packages/sdk/README.md',
    'packages/openfeature/README.md',
  ]
  for (const file of files) cpSync(path.join(root, file), path.join(folder, file))
  const run = () => spawnSync(process.execPath, [path.join(root, 'tools/published-texts.mjs')], { cwd: folder })
  const read = (): string => files.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('')
  expect(run().status).toBe(0)
  const text = read()
  expect(text).not.toMatch(/not published yet/i)
  expect(/```sh\n(.*)\n/.exec(text)?.[1]).toBe('npx @rollkey/server --demo')
  expect(run().status).toBe(0)
  expect(read()).toBe(text)
  writeFileSync(path.join(folder, 'README.md'), '')
  expect(String(run().stderr)).toContain('README.md has no text to replace')
})

describe('a tag', () => {
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'rollkey-release-'))
    for (const name of published)
      cpSync(path.join(root, 'packages', name, 'package.json'), path.join(folder, 'packages', name, 'package.json'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function check(tag: string, changelog: string): { status: number | null; stderr: string } {
    writeFileSync(path.join(folder, 'CHANGELOG.md'), changelog)
    return spawnSync(process.execPath, [path.join(root, 'tools/check-release.mjs'), tag], {
      cwd: folder,
      encoding: 'utf8',
    })
  }

  const { version } = packageFile('packages/sdk')
  const entry = `# Changelog\n\n## [${version}] - 2027-01-01\n`

  test('is accepted if it names the version of the packages and of an entry of the changelog', () => {
    expect(check(`v${version}`, entry)).toMatchObject({ status: 0, stderr: '' })
  })

  test.each([
    ['another version', 'v9.9.9', entry, `packages/sdk has version ${version} (expected 9.9.9)`],
    ['a version without an entry', `v${version}`, '## [Unreleased]\n', `no heading "## [${version}] - DATE"`],
  ])('is refused if it names %s', (_, tag, changelog, problem) => {
    const { status, stderr } = check(tag, changelog)
    expect(status).toBe(1)
    expect(stderr).toContain(problem)
  })
})

const workflows = path.join(root, '.github/workflows')

test.each(readdirSync(workflows))('%s pins its actions and runs scripts that exist', (name) => {
  const text = readFileSync(path.join(workflows, name), 'utf8')
  const actions = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action)
  expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action ?? ''))).toEqual([])
  const scripts = [...text.matchAll(/(?:npm run |')((?:test|check|build)[\w:-]*)/g)].map(([, script]) => script)
  expect(scripts.filter((script) => !Object.hasOwn(packageFile('.').scripts, script ?? ''))).toEqual([])
})
