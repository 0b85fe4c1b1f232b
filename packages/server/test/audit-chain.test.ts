/** Tests the audit log from an operator's view: checkpoints in the service's log, the commands, and the file for an auditor. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openInstallation } from '../src/compose/installation.ts'
import { readConfig } from '../src/config.ts'
import { secret } from '../testkit/entries.ts'
import { inServer, offline, onStore } from '../testkit/operator.ts'
import { useFolder } from '../testkit/folder.ts'
import { runMain } from '../testkit/process.ts'
import { onPostgres, query, storeSettings } from '../testkit/store.ts'
import { newOwner, startTestEnv, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'
import { silent } from './storage/temporary.ts'

const folder = useFolder()
const file = path.join(folder, 'audit.jsonl')
const keyFile = path.join(folder, 'audit.pub')
const testEnv = useTestEnv()
let tenant: TestTenant
let orgId: string
/** The last checkpoint in the service's log after its stop. */
let checkpoint: string
/** What the export into the file answered. */
let exported: unknown
/** Sequence number of the last entry. */
let last: number

beforeAll(async () => {
  tenant = await newOwner(testEnv)
  for (const name of ['A', 'B', 'C']) await write(testEnv, tenant, [secret(name, '1')])
  const [row] = await query(
    testEnv.app.dataDir,
    'select h.org_id, h.seq from audit_heads h join organizations o on o.id = h.org_id where o.slug = $1',
    tenant.at.orgSlug,
  )
  orgId = String(row?.['org_id'])
  last = Number(row?.['seq'])
  await testEnv.app.stop()
  checkpoint = logged().at(-1) ?? ''
  exported = await result(`audit export ${tenant.at.orgSlug}`, file)
  writeFileSync(keyFile, String(await result('audit key')))
})

/** Returns the command's result on the store of the stopped service, or its error message. */
async function result(words: string, ...more: string[]): Promise<unknown> {
  const { dataDir } = testEnv.app
  const { DATABASE_URL } = await storeSettings(dataDir)
  const config = readConfig({ ROLLKEY_DATA_DIR: dataDir, ...(DATABASE_URL && { ROLLKEY_DATABASE_URL: DATABASE_URL }) })
  const refusal = (error: unknown): string => (error as Error).message
  if (words.startsWith('audit verify-file')) return offline(config, words, ...more).catch(refusal)
  const { installation, close } = await openInstallation(config, silent)
  return onStore(installation, words, ...more)
    .catch(refusal)
    .finally(close)
}

/** Returns the organization's checkpoints in the service's log. */
function logged(): string[] {
  const lines = testEnv.app.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  return lines
    .filter((line) => line['msg'] === 'audit checkpoint' && line['orgId'] === orgId)
    .map((line) => String(line['checkpoint']))
}

test('a stop signs and logs a checkpoint once, and the commands verify it and find tampering', async () => {
  expect(logged()).toEqual([checkpoint])
  expect(checkpoint).toMatch(/^\d+\.0\.\d+\.[0-9a-f]{64}\.[\w-]{86}$/)
  const { orgSlug } = tenant.at
  const good = { good: true, entries: last, sinceCheckpoint: 0, problems: [] }
  // One checkpoint is in the store, the other is the one the operator kept.
  const all = { ...good, organizations: 1, checkpoints: 2 }
  expect(await result(`audit verify --org ${orgSlug} --checkpoint ${checkpoint}`)).toMatchObject(all)

  expect(exported).toMatchObject({ file, organization: orgSlug })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(keyFile, 'utf8')).toMatch(/^-----BEGIN PUBLIC KEY-----\n/)
  expect(await result(`audit verify-file --checkpoint ${checkpoint}`, file, '--key-file', keyFile)).toMatchObject({
    ...good,
    orgId,
  })

  const { dataDir } = testEnv.app
  await query(dataDir, 'delete from audit where org_id = $1 and seq = $2', orgId, last)
  await query(dataDir, 'delete from audit_checkpoints where org_id = $1', orgId)
  await query(
    dataDir,
    `update audit_heads set seq = $2, chain = (select chain from audit where org_id = $1 and seq = $2)
     where org_id = $1`,
    orgId,
    last - 1,
  )
  const { code, stdout } = await runMain({ DATA_DIR: dataDir }, [
    'audit',
    'verify',
    '--org',
    orgSlug,
    '--checkpoint',
    checkpoint,
  ])
  const cut = { organization: orgSlug, seq: last, problem: 'it is missing, although a checkpoint covers it' }
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ good: false, entries: last - 1, problems: [cut] })

  const changedFile = `${file}.changed`
  writeFileSync(changedFile, readFileSync(file, 'utf8').replace('"names":["B"]', '"names":["Z"]'))
  const changed = { seq: last - 1, problem: 'its details were changed' }
  expect(await result('audit verify-file', changedFile, '--key-file', keyFile)).toMatchObject({
    good: false,
    problems: [changed],
  })
})

test('error messages say what to do', async () => {
  const { orgSlug } = tenant.at
  expect(await result(`audit verify --org ${orgSlug} --checkpoint x`)).toMatch(/^Invalid --checkpoint/)
  expect(await result(`audit export ${orgSlug}`, file)).toMatch(/cannot be created \(EEXIST\)/)
  expect(await result(`audit export ${orgSlug} --from 0`, `${file}.2`)).toMatch(/^Invalid --from/)
  expect(await result('audit verify-file', file, '--key-file', file)).toMatch(/is not a public key/)
  expect(await result('audit verify-file', keyFile, '--key-file', keyFile)).toBe(
    'Line 1 is not valid in an exported audit log: use the unchanged file that audit export wrote.',
  )
})

test.skipIf(onPostgres)('a stop logs the newest checkpoint even if another was logged a moment before', async () => {
  const other = await startTestEnv()
  const theirs = await newOwner(other)
  const { orgSlug } = theirs.at
  const { dataDir } = other.app
  const checkpoints = (): number => other.app.log.filter((line) => line.includes('"audit checkpoint"')).length
  await write(other, theirs, [secret('A', '1')])
  await inServer(dataDir, [`audit export ${orgSlug}`, path.join(folder, 'first')])
  expect(checkpoints()).toBe(1)
  await write(other, theirs, [secret('B', '1')])
  await inServer(dataDir, [`audit export ${orgSlug}`, path.join(folder, 'second')])
  expect(checkpoints()).toBe(1)
  await other.app.stop()
  expect(checkpoints()).toBe(2)
})
