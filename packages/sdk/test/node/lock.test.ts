import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { withLock } from '../../src/node/lock.ts'
import { useFolder } from '../../../server/testkit/folder.ts'

const folder = useFolder()
const workers: ChildProcess[] = []
afterAll(() => {
  for (const each of workers) each.kill('SIGKILL')
})

function worker(name: string, ...args: string[]): ChildProcess {
  const script = path.join(import.meta.dirname, 'workers', name)
  const started = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  workers.push(started)
  return started
}

function makeOld(file: string, ageMs = 61_000): void {
  const since = new Date(Date.now() - ageMs)
  utimesSync(file, since, since)
}

test('admits one process at a time, even if some die while they hold it', async () => {
  const file = path.join(folder, 'number')
  writeFileSync(file, '0')
  const adding = Array.from({ length: 9 }, (_, i) => worker('add.ts', file, '10', i % 3 === 0 ? 'dies' : 'lives'))
  const ends = await Promise.all(adding.map((each) => once(each, 'exit')))
  expect(ends.filter(([, signal]) => signal === 'SIGKILL')).toHaveLength(3)
  expect(ends.filter(([code]) => code === 0)).toHaveLength(6)
  expect(Number(readFileSync(file, 'utf8'))).toBe(9 * 10 - 3)
  await withLock(`${file}.lock`, async () => {})
  expect(readdirSync(folder)).toEqual(['number'])
})

test('held by a killed process is taken over at once', async () => {
  const file = path.join(folder, 'killed.lock')
  const holder = worker('hold-lock.ts', file)
  await once(holder.stdout ?? holder, 'data')
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  expect(existsSync(file)).toBe(true)
  expect(await withLock(file, async () => 'done', 1_000)).toBe('done')
  expect(existsSync(file)).toBe(false)
})

test('held by a running process is waited for, then the error names that process', async () => {
  const file = path.join(folder, 'running.lock')
  const holder = worker('hold-lock.ts', file)
  await once(holder.stdout ?? holder, 'data')
  const waiting = withLock(file, async () => 'done', 100)
  await expect(waiting).rejects.toMatchObject({ code: 'UNREACHABLE' })
  await expect(waiting).rejects.toThrow(new RegExp(`Process ${holder.pid} on .*${file}`))
  // Work under a lock never takes this long: its process is stopped, or another process has its id now.
  makeOld(file)
  expect(await withLock(file, async () => 'done', 1_000)).toBe('done')
})

test('that was taken over is not released by its former holder', async () => {
  const file = path.join(folder, 'lost.lock')
  let finish = (): void => {}
  const slow = withLock(file, () => new Promise<void>((resolve) => (finish = resolve)))
  makeOld(file)
  await withLock(file, async () => {
    finish()
    await slow
    expect(existsSync(file)).toBe(true)
  })
  expect(existsSync(file)).toBe(false)
})

test('that is incomplete is waited for while it is young', async () => {
  const file = path.join(folder, 'empty.lock')
  writeFileSync(file, '')
  await expect(withLock(file, async () => 'done', 50)).rejects.toMatchObject({ code: 'UNREACHABLE' })
  makeOld(file)
  expect(await withLock(file, async () => 'done', 1_000)).toBe('done')
})

test('of the far future is taken over, because a clock was set back', async () => {
  const file = path.join(folder, 'future.lock')
  writeFileSync(file, '')
  makeOld(file, -3_600_000)
  expect(await withLock(file, async () => 'done', 1_000)).toBe('done')
})

test('is released if the work fails', async () => {
  const file = path.join(folder, 'failed.lock')
  await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(existsSync(file)).toBe(false)
})

test('held by one process after another is waited for, however long that takes in all', async () => {
  const file = path.join(folder, 'many.lock')
  const hold = (id: number) =>
    writeFileSync(file, JSON.stringify({ id: `holder-${id}`, pid: process.pid, host: hostname() }))
  let nowMs = 0
  const looks = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => looks.mockRestore())
  hold(0)
  const waiting = withLock(file, async () => 'done', 100)
  for (let id = 1; id <= 5; id++) {
    const before = looks.mock.calls.length
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(before + 2)
    hold(id)
    nowMs += 99
  }
  rmSync(file)
  expect(await waiting).toBe('done')
})
