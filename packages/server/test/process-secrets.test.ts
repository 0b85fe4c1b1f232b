/** Tests what a process leaves behind: its output, title, files and backups, also after a crash. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { pause } from '../testkit/pause.ts'
import { beforeAll, expect, test } from 'vitest'
import { Canaries } from '../testkit/canaries.ts'
import { TestClient } from '../testkit/client.ts'
import { useFolder } from '../testkit/folder.ts'
import { isLong } from '../testkit/long.ts'
import { goodPassword, inLink, setUp } from '../testkit/person.ts'
import { runMain, startProcess, type ServerProcess } from '../testkit/process.ts'
import { storedText } from '../testkit/store.ts'

const canaries = new Canaries()
const dataDir = useFolder()
const cwd = useFolder()
const keyFile = path.join(cwd, 'backup.key')
const masterKey = crypto.getRandomValues(Buffer.alloc(32))
const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
const thrown = canaries.plant('the text of an error')
/** Throws the secret that it holds, as a bug would. */
const throwing = `process.on('SIGUSR2', () => { throw new Error(${JSON.stringify(thrown)}) })`
const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(throwing)}`]
let settings: Record<string, string>

function start(args = nodeArgs): Promise<ServerProcess> {
  return startProcess(settings, { nodeArgs: args, cwd })
}

beforeAll(async () => {
  const { stdout } = await runMain({ DATA_DIR: dataDir }, ['backup', 'new-key', keyFile])
  const recipient = /age1\w+/.exec(stdout)?.[0] ?? ''
  canaries.add('the backup key', /AGE-SECRET-KEY-\w+/.exec(readFileSync(keyFile, 'utf8'))?.[0] ?? '')
  canaries.add('the master key', masterKey)
  settings = {
    DATA_DIR: dataDir,
    MASTER_KEY: masterKey.toString('base64'),
    BACKUP_RECIPIENT: recipient,
    LOG_LEVEL: 'debug',
    BILLING_URL: 'http://127.0.0.1:9/usage',
    BILLING_SECRET: `whsec_${crypto.getRandomValues(Buffer.alloc(32)).toString('base64')}`,
  }
  canaries.add('the billing secret', settings['BILLING_SECRET'] ?? '')
})

/** Sends and uses every secret that the process receives. */
async function useAll({ url }: ServerProcess, setupLink: string): Promise<void> {
  canaries.add('a password', goodPassword)
  canaries.add('a setup link', inLink(setupLink, 'token'))
  const owner = await setUp({ url, setupLink })
  const jwt = await owner.token()
  canaries.add('a provider token', jwt)
  const client = new TestClient(url)
  const { accessToken: token, refreshToken } = await client.login(jwt)
  for (const each of [token, refreshToken]) canaries.add('a token of a session', each)
  const entries = [{ kind: 'secret', name: 'A', value: canaries.plant('a value') }]
  await client.must('write', { ...at, mode: 'upsert', entries }, { token })
  await client.must('evaluate', { ...at, name: 'A' }, { token })
  await client.must('reveal', { ...at, names: ['A'] }, { token })
  canaries.add('a service token', (await client.must('tokenCreate', { orgSlug: 'acme', name: 'ci' }, { token })).token)
  await client.call(
    'evaluate',
    { ...at, name: canaries.plant('an unknown name') },
    { token: canaries.plant('no token') },
  )
}

function expectNothingLeft(): void {
  // The machine decides whether a core file is written; see docs/reliability.md.
  expect(readdirSync(cwd).filter((name) => !name.startsWith('core'))).toEqual([path.basename(keyFile)])
}

test('no secret is in the output, the command line, the title, the store, a backup or next to one', async () => {
  const service = await start()
  const setupLink = await service.setupLink()
  await useAll(service, setupLink)
  const file = path.join(cwd, 'backup.age')
  expect((await runMain(settings, ['backup', 'create', file])).code).toBe(0)
  const { pid } = service.child
  for (const name of ['cmdline', 'comm', 'status']) {
    canaries.expectNoneIn(
      name,
      readFileSync(`/proc/${pid}/${name}`, 'latin1').replace(encodeURIComponent(throwing), ''),
    )
  }
  canaries.expectNoneIn('the metrics', await (await fetch(`${service.url}/metrics`)).text())
  canaries.expectNoneIn('the store', await storedText(dataDir))
  canaries.expectNoneIn('the backup', readFileSync(file, 'latin1'))
  expect(readdirSync(dataDir).filter((name) => /^(backup|restore)-/.test(name))).toEqual([])
  rmSync(file)
  // The setup link is meant for the person who starts the service, and works once.
  expect(service.output()).toContain(setupLink)
  canaries.expectNoneIn('the output', service.output().replace(setupLink, ''))
  // Node ends this way when it cannot continue.
  expect(await service.end('SIGABRT')).toBe('SIGABRT')
  expectNothingLeft()
})

test.runIf(isLong)('an uncaught error logs its class and location, not its message, and leaves no file', async () => {
  const service = await start()
  expect(await service.end('SIGUSR2')).toBe(1)
  expect(service.output()).toContain('the process stops because of an unexpected error')
  canaries.expectNoneIn('the output', service.output())
  expectNothingLeft()
})

test.runIf(isLong)('the report that an operator requests from Node contains no setting', async () => {
  const service = await start(['--report-on-signal'])
  service.child.kill('SIGUSR2')
  const reports = (): string[] => readdirSync(cwd).filter((name) => name.startsWith('report.'))
  while (reports().length === 0) await pause(20)
  await service.end('SIGTERM')
  const [report = ''] = reports()
  const text = readFileSync(path.join(cwd, report), 'utf8')
  expect(text).toContain('"nodejsVersion"')
  canaries.expectNoneIn('the report', text)
  rmSync(path.join(cwd, report))
})
