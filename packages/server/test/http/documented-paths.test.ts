/** Tests that the service serves every address of it that the docs and the examples name. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { exportFormat } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { startTestEnv } from '../../testkit/test-env.ts'

const root = path.resolve(import.meta.dirname, '../../../..')
const texts = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*', 'examples/*/*', 'packages/*/README.md'], { cwd: root })
  .filter((file) => /\.(?:md|ya?ml|conf|sh|mjs|ts|py|rb|java)$|Caddyfile$/.test(file))
  .map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const)

/** What stands for the address of the service, and the path after it. */
const address =
  /(?:https?:\/\/(?:rollkey\.example\.com|localhost:8787|127\.0\.0\.1:8787)|\$+\{?ROLLKEY_URL\}?)(\/[\w./-]*\w)/g

test('every documented path is served', async () => {
  const { app } = await startTestEnv()
  const paths = texts.flatMap(([file, text]) => [...text.matchAll(address)].map(([, found = '']) => ({ file, found })))
  expect(paths.length).toBeGreaterThan(10)
  /** Returns what is wrong with an address, or undefined if something is served there, whatever it asks for. */
  const messageAt = async (at: string): Promise<string | undefined> => {
    const answer = await fetch(`${app.url}${at}`)
    const text = await answer.text()
    if (answer.status !== 404) return undefined
    // The Vault protocol has a list of sentences.
    const { error, errors } = JSON.parse(text) as { error?: { message: string }; errors?: string[] }
    return error?.message ?? errors?.join(' ')
  }
  const notServed = await Promise.all(['/not-served', '/vault/v1/not-served'].map(messageAt))
  // A base URL of OFREP or of the Vault protocol is what its clients put before their paths.
  const requested = ({ found }: { found: string }) => {
    if (/^\/vault(?:\/v1)?$/.test(found)) return '/vault/v1/sys/health'
    return /^\/projects\/\w+\/stages\/\w+$/.test(found) ? `${found}/ofrep/v1/evaluate/flags` : found
  }
  const messages = await Promise.all(paths.map((each) => messageAt(requested(each))))
  expect(notServed).not.toContain(undefined)
  expect(paths.filter((_, index) => messages[index] !== undefined && notServed.includes(messages[index]))).toEqual([])
})

test('the documented export can be imported', () => {
  const [, example = ''] = /```json\n(\{"format":"rollkey-export"[^`]*)```/.exec(
    readFileSync(path.join(root, 'docs/export.md'), 'utf8'),
  ) as RegExpExecArray
  expect(exportFormat.parse(JSON.parse(example)).projects[0]?.stages[0]?.variables).toHaveLength(3)
})
