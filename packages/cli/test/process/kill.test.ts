/** Values are on no disk in plain text, also if a command is killed between any two operations on files. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { Canaries } from '../../../server/testkit/canaries.ts'
import { temporaryFolder } from '../../../server/testkit/folder.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { environmentAt, startHostileService } from '../../testkit/hostile-service.ts'
import { startInPipe, type Ended } from '../../testkit/run.ts'

const preload = pathToFileURL(path.resolve(import.meta.dirname, '../../testkit/kill-at.ts')).href

/** Returns the paths of all files. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => path.join(folder, file))
    .filter((file) => statSync(file).isFile())
}

test(`no value is on the disk in plain text after kill -9, at ${isLong ? 'each point' : 'some points'}`, async () => {
  const service = await startHostileService()
  onTestFinished(() => service.close())
  const canaries = new Canaries()
  const ofStage = canaries.plant('a value of the stage')
  const ofMachine = canaries.plant('an override')
  service.answers['/v1/env/pull'] = { revision: 1, variables: { A: ofStage } }
  service.answers['/v1/projects/list'] = { projects: [{ projectSlug: 'shop', stages: [{ stageSlug: 'dev' }] }] }
  const cwd = temporaryFolder()
  const env = { ...environmentAt(service), HOME: cwd, TMPDIR: cwd, NODE_OPTIONS: `--import=${preload}` }
  const counted = path.join(cwd, 'count')
  const run = (args: readonly string[], kill: Record<string, string>, input: string): Promise<Ended> =>
    startInPipe(args, { env: { ...env, ...kill }, cwd }, /$^/, input).ended

  const commands: readonly (readonly [args: readonly string[], input: string])[] = [
    [['pull'], ''],
    [['override', 'set', 'B', '--verbatim'], ofMachine],
    [['pull', '--format', 'json'], ''],
    [['override', 'set', 'C', '--verbatim'], ofMachine],
    [['override', 'unset', 'B'], ''],
  ]
  let points = 0
  for (const [args, input] of commands) {
    // What an earlier command has kept stays, so that it is also replaced.
    const config = path.join(cwd, '.config')
    const before = path.join(cwd, 'before')
    mkdirSync(config, { recursive: true })
    rmSync(before, { recursive: true, force: true })
    execFileSync('cp', ['-a', config, before])
    const complete = await run(args, { KILL_COUNT: counted }, input)
    expect(complete, args.join(' ')).toMatchObject({ status: 0 })
    const total = Number(readFileSync(counted, 'utf8'))
    expect(total).toBeGreaterThan(5)
    for (let at = 1; at <= total; at += isLong ? 1 : 5) {
      rmSync(config, { recursive: true })
      execFileSync('cp', ['-a', before, config])
      expect(await run(args, { KILL_AT: String(at) }, input)).toMatchObject({ signal: 'SIGKILL' })
      for (const file of filesIn(cwd)) canaries.expectNoneIn(file, readFileSync(file, 'latin1'))
      points++
    }
    // A killed command stops none of the next ones.
    expect(await run(['override', 'list'], { KILL_COUNT: counted }, ''), args.join(' ')).toMatchObject({ status: 0 })
    expect(await run(['pull'], { KILL_COUNT: counted }, '')).toMatchObject({ status: 0 })
  }
  expect(points).toBeGreaterThanOrEqual(isLong ? 50 : 10)
  expect(existsSync(path.join(cwd, '.config', 'rollkey', 'snapshots'))).toBe(true)
  const { status } = spawnSync('grep', ['-r', ofStage, cwd])
  expect(status).toBe(1)
})
