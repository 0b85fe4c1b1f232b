/** Backups of the embedded store: complete, sealed, signed and restorable. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { json, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { lastBackup } from '../../src/backup/last.ts'
import type { Report } from '../../src/operator/command.ts'
import { readConfig } from '../../src/config.ts'
import { TestClient } from '../../testkit/client.ts'
import { temporaryFolder, useFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { Person, setUp } from '../../testkit/person.ts'
import { inServer, offline } from '../../testkit/operator.ts'
import { runMain, startProcess, type ServerProcess, spawnMain, spawnServer } from '../../testkit/process.ts'
import { query } from '../../testkit/store.ts'

const canary = `canary-${crypto.randomUUID()}`
const folder = useFolder()
const dataDir = useFolder()
const keyFile = path.join(folder, 'backup.key')
const file = path.join(folder, 'rollkey.age')
const place = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }

let server: ServerProcess
let recipient: string
let owner: Person
let session: { accessToken: string; refreshToken: string }
let serviceToken: string
const written = { acknowledged: 0, isOver: false }

/** Runs the command as a process. */
async function run(words: string, args: string[], settings: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runMain({ DATA_DIR: dataDir, ...settings }, [...words.split(' '), ...args])
  return { code, stderr, answer: code === 0 ? (JSON.parse(stdout) as Record<string, unknown>) : {} }
}

/** Runs the command in this process. Returns its answer or its error message. */
async function result(words: string, args: string[], settings: Record<string, string> = {}): Promise<unknown> {
  const environment = Object.entries({ DATA_DIR: dataDir, ...settings })
  const config = readConfig(Object.fromEntries(environment.map(([name, value]) => [`ROLLKEY_${name}`, value])))
  try {
    return await offline(config, words, ...args)
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns the folders in the data directory that contain databases. */
function unsealed(): string[] {
  return readdirSync(dataDir).filter((name) => name.startsWith('.unsealed-'))
}

/** Creates a data directory with only the master key, as after the loss of everything else. */
function emptied(): string {
  const empty = temporaryFolder()
  copyFileSync(path.join(dataDir, 'master.key'), path.join(empty, 'master.key'))
  return empty
}

beforeAll(async () => {
  recipient = ((await run('backup new-key', [keyFile])).answer['set'] as string).replace(
    'ROLLKEY_BACKUP_RECIPIENT=',
    '',
  )
  server = await spawnServer({ DATA_DIR: dataDir, BACKUP_RECIPIENT: recipient })
  const setupLink = await server.setupLink()
  owner = await setUp({ url: server.url, setupLink })
  const client = new TestClient(server.url)
  const token = await owner.token()
  session = await client.login(token)
  serviceToken = (await client.must('tokenCreate', { orgSlug: 'acme', name: 'ci' }, { token: session.accessToken }))
    .token
  for (let i = 0; i < 20; i++) await write()
  await run('backup create', [file])
})

/** Writes one more revision with its number as two of the values. */
async function write(): Promise<void> {
  const value = String(written.acknowledged + 1)
  const entries = Object.entries({ COUNT: value, SAME: value, CANARY: canary })
  const secrets = entries.map(([name, content]) => ({ kind: 'secret', name, value: content }))
  const token = session.accessToken
  await new TestClient(server.url).must('write', { ...place, mode: 'upsert', entries: secrets }, { token })
  written.acknowledged++
}

afterAll(() => server.end('SIGKILL'))

test('a backup during writes is a snapshot, opens completely, and leaves nothing in the data directory', async () => {
  const writing = (async () => {
    while (!written.isOver) await write()
  })()
  const before = written.acknowledged
  const during = path.join(folder, 'during.age')
  const made = await run('backup create', [during])
  written.isOver = true
  await writing
  expect(written.acknowledged).toBeGreaterThan(before)
  expect(made).toMatchObject({ code: 0, answer: { file: during, bytes: statSync(during).size, sealedFor: recipient } })
  const { code, answer } = await run('backup verify', [during, '--key-file', keyFile], { DATA_DIR: emptied() })
  expect({ code, answer }).toMatchObject({ code: 0, answer: { good: true, stages: 1 } })
  expect(answer['states']).toBeGreaterThan(60)
  expect(unsealed()).toEqual([])
})

test('a backup goes to standard output and is verified from standard input, without a file of the operator', async () => {
  const create = await spawnMain({ DATA_DIR: dataDir }, ['backup', 'create', '-'])
  const verify = await spawnMain({ DATA_DIR: emptied() }, ['backup', 'verify', '-', '--key-file', keyFile], {
    stdin: 'pipe',
  })
  const [, verdict] = await Promise.all([pipeline(create.stdout!, verify.stdin!), json(verify.stdout!)])
  expect(verdict).toMatchObject({ good: true, stages: 1 })
  expect(unsealed()).toEqual([])
  expect(lastBackup(dataDir)).toEqual({ atMs: expect.any(Number) })
})

test('a backup is restored from standard input', async () => {
  const empty = emptied()
  const create = await spawnMain({ DATA_DIR: dataDir }, ['backup', 'create', '-'])
  const restore = await spawnMain({ DATA_DIR: empty }, ['backup', 'restore', '-', '--key-file', keyFile], {
    stdin: 'pipe',
  })
  const [, answer] = await Promise.all([pipeline(create.stdout!, restore.stdin!), json(restore.stdout!)])
  expect(answer).toMatchObject({ restoredTo: empty })
  const restored = await startProcess({ DATA_DIR: empty })
  const { variables } = await new TestClient(restored.url).must('pull', place, { token: serviceToken })
  expect(variables).toMatchObject({ CANARY: canary, COUNT: String(written.acknowledged) })
})

test('without a key of the service, a backup needs one for itself, and new-key prints the command of the first one', async () => {
  const restored = emptied()
  await run('backup restore', [file, '--key-file', keyFile], { DATA_DIR: restored })
  const first = path.join(folder, 'first.age')
  const settings = { DATA_DIR: restored }
  const { code, stderr } = await run('backup create', [first], settings)
  expect(code).toBe(2)
  expect(stderr).toMatch(/add --recipient age1…, or set ROLLKEY_BACKUP_RECIPIENT .*; try: .* backup new-key FILE\n$/)
  const wrong = await run('backup create', [first, '--recipient', `age1${'q'.repeat(58)}`], settings)
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toMatch(/^USAGE: --recipient is not an age public key/)
  const created = (await result('backup new-key', [path.join(folder, 'first.key')])) as Report
  const own = /backup create rollkey\.age --recipient (age1\w+)\n/.exec(created.text)?.[1] ?? ''
  expect(created.json).toMatchObject({
    set: `ROLLKEY_BACKUP_RECIPIENT=${own}`,
    try: expect.stringMatching(new RegExp(`backup create rollkey\\.age --recipient ${own}$`)),
  })
  expect(await run('backup create', [first, '--recipient', own], settings)).toMatchObject({
    answer: { sealedFor: own },
  })
  const opened = await run('backup verify', [first, '--key-file', path.join(folder, 'first.key')], settings)
  expect(opened.answer).toMatchObject({ good: true })
})

test('the key of one backup takes precedence over that of the service', async () => {
  const key = path.join(folder, 'one.key')
  const { json: made } = (await result('backup new-key', [key])) as { json: { set: string } }
  const own = made.set.split('=')[1] ?? ''
  const one = path.join(folder, 'one.age')
  expect((await run('backup create', [one, '--recipient', own])).answer).toMatchObject({ sealedFor: own })
  expect(await result('backup verify', [one, '--key-file', key], { DATA_DIR: emptied() })).toMatchObject({ good: true })
})

test('a backup whose reader ends early fails, and is not noted', async () => {
  const before = lastBackup(dataDir)
  const create = await spawnMain({ DATA_DIR: dataDir }, ['backup', 'create', '-'])
  create.stdout?.destroy()
  const [error, [code]] = await Promise.all([text(create.stderr!), once(create, 'exit')])
  expect([code, error]).toEqual([
    1,
    'NOT_WRITTEN: Standard output took only a part (EPIPE): delete what its reader has, and run the command again\n',
  ])
  expect(lastBackup(dataDir)).toEqual(before)
  expect(unsealed()).toEqual([])
})

test('only the holder of the backup key can read a backup', async () => {
  const content = readFileSync(file).toString('latin1')
  for (const secret of [canary, owner.email, session.refreshToken]) expect(content).not.toContain(secret)
  const other = path.join(folder, 'other.key')
  await result('backup new-key', [other])
  expect(statSync(other).mode & 0o777).toBe(0o600)
  expect(await result('backup verify', [file, '--key-file', other], { DATA_DIR: emptied() })).toMatch(
    /cannot be opened: it is damaged, truncated, or sealed for another backup key/,
  )
})

test('a restored backup serves its data; people must sign in again, service tokens keep working', async () => {
  // By now the store has other data keys.
  await query(dataDir, 'update data_keys set created_at_ms = 0 where project_id is not null')
  const seen: number[] = []
  const rotated = await inServer(dataDir, ['data-key rotate'], (done, total) => seen.push(done, total))
  expect(rotated).toMatchObject({ rotated: 1, unopened: 0 })
  expect(seen).not.toEqual([])
  const empty = emptied()
  const { code, answer } = await run('backup restore', [file, '--key-file', keyFile], { DATA_DIR: empty })
  expect({ code, answer }).toMatchObject({ code: 0, answer: { restoredTo: empty } })
  const restored = await startProcess({ DATA_DIR: empty })
  const client = new TestClient(restored.url)
  const noted = await query(empty, "select subject from audit where action = 'backup.restore'")
  expect(noted).toEqual([{ subject: JSON.stringify({ madeAtMs: Date.parse(answer['madeAt'] as string) }) }])
  const { variables, revision } = await client.must('pull', place, { token: serviceToken })
  expect(variables).toEqual({ CANARY: canary, COUNT: String(revision), SAME: String(revision) })
  expect(revision).toBeGreaterThanOrEqual(20)
  expect(revision).toBeLessThanOrEqual(written.acknowledged)
  expect((await client.call('list', place, { token: session.accessToken })).status).toBe(401)
  expect((await client.refresh(session.refreshToken)).status).toBe(401)
  owner.url = server.url
  expect((await owner.get('/get-session')).body).not.toBeNull()
  owner.url = restored.url
  expect((await owner.get('/get-session')).body).toBeNull()
  expect(await inServer(empty, ['audit verify'])).toMatchObject({ good: true })
  expect((await new Person(restored.url, owner.email).signIn()).status).toBe(200)
})

test('a restore over a store, without the master key or with another one is refused and changes nothing', async () => {
  expect(await result('backup restore', [file, '--key-file', keyFile])).toMatch(/already has a store/)
  const empty = temporaryFolder()
  const settings = { DATA_DIR: empty }
  expect(await result('backup restore', [file, '--key-file', keyFile], settings)).toMatch(
    /master key file .* is missing/,
  )
  const another = { ...settings, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
  expect(await result('backup restore', [file, '--key-file', keyFile], another)).toMatch(/does not open this database/)
  expect(readdirSync(empty)).toEqual(['lock.db'])
})

test.runIf(isLong)('refusals say what to do', async () => {
  expect((await run('backup create', [file])).stderr).toMatch(/already exists: choose a new file name/)
  expect(await result('backup new-key', [keyFile])).toMatch(/cannot be written as a new file \(EEXIST\)/)
  expect(await result('backup verify', [path.join(folder, 'none'), '--key-file', keyFile])).toMatch(/There is no file/)
  expect(await result('backup verify', [file, '--key-file', file])).toMatch(/is not a backup key/)
})

test('the next start removes the files of a backup whose process was killed', async () => {
  const killed = path.join(folder, 'killed.age')
  // Opening the file for writing waits for a reader, so the copies exist but nothing is sealed yet.
  execFileSync('mkfifo', [`${killed}.unfinished`])
  const backup = run('backup create', [killed])
  const copies = (): string[] => unsealed().flatMap((name) => readdirSync(path.join(dataDir, name)))
  await vi.waitUntil(() => copies().includes('elsewhere'), { timeout: 600_000 })
  expect(copies()).toEqual(expect.arrayContaining(['identity.db', 'rollkey.db']))
  await server.end('SIGKILL')
  expect((await backup).code).toBe(8)
  server = await spawnServer({ DATA_DIR: dataDir, BACKUP_RECIPIENT: recipient })
  expect(unsealed()).toEqual([])
  expect(readdirSync(folder).filter((name) => name.startsWith('killed'))).toEqual([])
})

test('a backup that cannot be written fails with the reason, and leaves no files', async () => {
  const full = path.join(folder, 'full.age')
  symlinkSync('/dev/full', `${full}.unfinished`)
  expect((await run('backup create', [full])).stderr).toMatch(/The backup failed \(.*ENOSPC/)
  expect(unsealed()).toEqual([])
  expect(readdirSync(folder).filter((name) => name.startsWith('full'))).toEqual([])
})

test('verify finds a changed audit log, values that do not open (also in the history) and a damaged database', async () => {
  const damagedDir = emptied()
  const settings = { DATA_DIR: damagedDir, BACKUP_RECIPIENT: recipient }
  await run('backup restore', [file, '--key-file', keyFile], settings)
  const database = new DatabaseSync(path.join(damagedDir, 'rollkey.db'))
  database.exec(`update audit set client = 'another' where seq = 2`)
  const changed = path.join(folder, 'changed.age')
  expect((await run('backup create', [changed], settings)).code).toBe(0)
  expect(await result('backup verify', [changed, '--key-file', keyFile], { DATA_DIR: emptied() })).toMatchObject({
    good: false,
    auditProblems: [{ organization: 'acme', seq: 2 }],
  })
  const past = 'variable_history where revision = 3'
  const { sealed } = database.prepare(`select sealed from ${past}`).get() as { sealed: Buffer }
  const flipped = Buffer.from(sealed)
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1
  database.prepare(`update variable_history set sealed = ? where revision = 3`).run(flipped)
  database.close()
  const damaged = path.join(folder, 'damaged.age')
  expect((await run('backup create', [damaged], settings)).code).toBe(0)
  expect(await result('backup verify', [damaged, '--key-file', keyFile], { DATA_DIR: emptied() })).toMatch(
    /\d+ of \d+ values of the backup cannot be opened/,
  )
  const orphaned = new DatabaseSync(path.join(damagedDir, 'rollkey.db'))
  orphaned.exec('pragma foreign_keys = off; delete from projects')
  orphaned.close()
  const torn = path.join(folder, 'torn.age')
  expect((await run('backup create', [torn], settings)).code).toBe(0)
  expect(await result('backup verify', [torn, '--key-file', keyFile], { DATA_DIR: emptied() })).toMatch(
    /rollkey\.db was already damaged when the backup was made \(data_keys has rows that refer to a missing row/,
  )
})
