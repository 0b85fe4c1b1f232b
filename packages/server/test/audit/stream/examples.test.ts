/** Runs the receivers of examples/receivers, which the documentation shows. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { HttpReceiver } from '../../../src/audit/stream/http-receiver.ts'
import type { StreamMessage } from '../../../src/audit/stream/receiver.ts'
import { signatureOf } from '../../../src/upstream/standard-webhooks.ts'
import { temporaryFolder } from '../../../testkit/folder.ts'
import { freePort } from '../../../testkit/free-port.ts'

const root = path.resolve(import.meta.dirname, '../../../../..')
const folder = path.join(root, 'examples/receivers')
const hasPython = spawnSync('python3', ['--version']).status === 0
const never = new AbortController().signal

test.each([
  ['docs/audit.md', 'audit-stream.mjs'],
  ['docs/audit.md', 'audit_stream.py'],
  ['docs/notifications.md', 'webhook.py'],
])('%s shows %s', (page, file) => {
  expect(readFileSync(path.join(root, page), 'utf8')).toContain(readFileSync(path.join(folder, file), 'utf8'))
})

/** Starts a program in a folder until the end of the test. Returns its port and what it prints. */
async function start(program: string, file: string, cwd: string, env: Record<string, string>) {
  const port = await freePort()
  const printed: string[] = []
  const child = spawn(program, [path.join(folder, file)], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => printed.push(text))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { url: `http://127.0.0.1:${port}`, printed }
}

test.runIf(hasPython).each([
  ['audit-stream.mjs', process.execPath],
  ['audit_stream.py', 'python3'],
])('%s keeps what a caller with the token sends', async (file, program) => {
  const cwd = temporaryFolder()
  const { url } = await start(program, file, cwd, { AUDIT_TOKEN: 'secret' })
  const messages = [1, 2].map((seq): StreamMessage => {
    const more = { orgId: 'org_1', organization: 'acme', type: 'export', isFailure: false }
    return { seq, atMs: 0, text: `{"seq":${seq},"name":"é"}`, ...more }
  })
  const send = (token: string) =>
    new HttpReceiver({ target: { kind: 'http', url, isSplunk: false }, token, format: 'json' }).send(messages, never)
  await expect.poll(() => send('other')).toBe('status 401')
  expect(await send('secret')).toBeUndefined()
  const kept = path.join(cwd, 'audit.jsonl')
  expect(readFileSync(kept, 'utf8')).toBe(messages.map(({ text }) => `${text}\n`).join(''))
  expect(statSync(kept).mode & 0o777).toBe(0o600)
})

test.runIf(hasPython)('the webhook in Python takes what is signed, once', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const { url, printed } = await start('python3', 'webhook.py', temporaryFolder(), { WEBHOOK_SECRET: secret })
  const body = JSON.stringify({ type: 'variables.changed', data: { projectSlug: 'é', url: 'https://example.com' } })
  const seconds = Math.floor(Date.now() / 1_000)
  const post = async (id: string, by: string): Promise<number> => {
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,other ${signatureOf(by, { id, seconds, body })}`,
    }
    return (await fetch(url, { method: 'POST', headers, body })).status
  }
  await expect.poll(() => post('evt_1', `whsec_${Buffer.alloc(32, 8).toString('base64')}`)).toBe(401)
  expect([await post('evt_1', secret), await post('evt_1', secret), await post('evt_2', secret)]).toEqual([
    204, 204, 204,
  ])
  await expect.poll(() => printed.join('')).toBe('variables.changed é https://example.com\n'.repeat(2))
})
