import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { median } from '../figures.ts'
import { newFolder } from '../machine.ts'
import { below, type Context, type Part, type Section } from '../part.ts'
import { call, org, repository, startService } from '../target.ts'

const usual = { rounds: 21, seconds: 0, warmupSeconds: 0, connections: 1 }
const rollkey = path.join(repository, 'packages/cli/bin/rollkey.js')
const nothing = 'node -e 0'
const version = 'rollkey --version'
const get = 'rollkey get API_KEY'
const at = { projectSlug: 'shop', stageSlug: 'dev' }

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

async function run({ stores, plan, tell }: Context): Promise<Section> {
  const { rounds } = plan(usual)
  const service = await startService(await stores.newHome('embedded'))
  await call(service, '/v1/env/write', {
    ...at,
    mode: 'upsert',
    entries: [{ name: 'API_KEY', kind: 'secret', value: 's3cret' }],
  })
  const env = {
    PATH: process.env['PATH'],
    ROLLKEY_CONFIG_DIR: newFolder(),
    ROLLKEY_URL: service.url,
    ROLLKEY_ORG: org,
    ROLLKEY_PROJECT: at.projectSlug,
    ROLLKEY_STAGE: at.stageSlug,
    ROLLKEY_TOKEN: service.token,
  }
  const node = (...args: string[]) => promisify(execFile)(process.execPath, args, { env })
  const commands = {
    [nothing]: () => node('-e', '0'),
    [version]: () => node(rollkey, '--version'),
    [get]: () => node(rollkey, 'get', 'API_KEY'),
    'the request of that, from a warm process': () => call(service, '/v1/env/evaluate', { ...at, name: 'API_KEY' }),
  }
  const times = Object.fromEntries(Object.keys(commands).map((title) => [title, [] as number[]]))
  for (let round = 0; round <= rounds; round++) {
    tell(`round ${round} of ${rounds}`)
    for (const [title, work] of Object.entries(commands)) {
      const ms = await timeOf(work)
      // The first round fills Node's cache of compiled code, as a user's first call does.
      if (round > 0) times[title]?.push(ms)
    }
  }
  await service.stop()
  const medians = Object.fromEntries(Object.entries(times).map(([title, all]) => [title, median(all)]))
  const over = (title: string): number => (medians[title] ?? NaN) - (medians[nothing] ?? NaN)
  return {
    title: 'Command line',
    how: `The whole process from start to end, in ${rounds} rounds in turn. The service is on the same machine.`,
    headings: ['command', 'median ms', 'fastest – slowest ms', `over ${nothing}`],
    textColumns: 1,
    rows: Object.entries(times).map(([title, all]) => [
      title,
      (medians[title] ?? NaN).toFixed(1),
      `${Math.min(...all).toFixed(1)} – ${Math.max(...all).toFixed(1)}`,
      [version, get].includes(title) ? over(title).toFixed(1) : '',
    ]),
    aims: [
      below(`${version} over ${nothing}`, over(version), 60, ' ms'),
      below(`${get} over ${nothing}`, over(get), 100, ' ms'),
    ],
    notes: [],
    faults: [],
  }
}

export const commandLine: Part = { name: 'command-line', run }
