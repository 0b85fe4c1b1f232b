import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { StoreFiles } from '../../src/replica/capture.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import { temporaryFolder } from '../../testkit/folder.ts'

test('what the store moves to its file is captured, also if the log has started again since', async () => {
  const folder = temporaryFolder()
  mkdirSync(path.join(folder, 'usage'))
  const sql = openSqlite(path.join(folder, 'rollkey.db'))
  await sql.tx((tx) => tx.script('create table blobs (data blob)'))
  const files = new StoreFiles(folder, sql)
  onTestFinished(async () => {
    files.close()
    await sql.close()
    files.closeFiles()
  })
  files.capture('all').release()
  const checkpoints: Promise<unknown>[] = []
  const note = (thread: Worker): void => void checkpoints.push(once(thread, 'exit'))
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  // The files are not looked at in between.
  for (let megabytes = 0; megabytes < 110; megabytes++) {
    await sql.tx((tx) => tx.all('insert into blobs (data) values (zeroblob(1000000))'))
    await nextTurn()
    await Promise.all(checkpoints)
  }
  expect(checkpoints).toHaveLength(3)
  // Undefined if pages were moved that it had not seen.
  expect(files.changedBytes).toBeGreaterThan(60_000_000)
  files.observe()
  const capture = files.capture('changed')
  expect(capture.databases[0]?.pages).toBeGreaterThan(110_000_000 / 4_096)
  capture.release()
})
