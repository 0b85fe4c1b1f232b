/** Shows where the service's time goes under load: sums up a profile that Node writes with --cpu-prof. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import path from 'node:path'
import { styleText } from 'node:util'
import { prepare } from './compare.ts'
import { whole } from './figures.ts'
import type { Stretch } from './load.ts'
import { newFolder } from './machine.ts'
import type { Context } from './part.ts'
import type { Scenario } from './scenarios.ts'
import { load } from './spell.ts'
import { repository, startService } from './target.ts'

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

/** A profile as V8 writes it: a tree of calls, and the node that was running at each sample. Times in µs of the monotonic clock. */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** A function of Rollkey, and its room: a folder of the server or a package. */
interface Owner {
  readonly label: string
  readonly room: string
}

/** A node's code, and the function and room of Rollkey that called it, directly or through Node and packages. */
interface Place {
  readonly label: string
  readonly owner: Owner
}

interface Share {
  readonly label: string
  readonly percent: number
}

const maxRows = 25
const idle = '(idle)'
const noOwner: Owner = { label: '(no code of Rollkey)', room: '(no code of Rollkey)' }

function fileOf(url: string): string {
  return url.startsWith('file:') ? path.relative(repository, fileURLToPath(url)) : url
}

/** Returns a folder of the server, a package, a part of Node, or a word for code without a source file. */
function roomOf(file: string, name: string): string {
  const room = /^packages\/(\w+)\/src\/(?:([\w-]+)\/)?/.exec(file)
  if (room) return room[1] === 'server' ? `server/${room[2] ?? 'app'}` : (room[1] ?? '')
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)
  if (dependency) return `npm ${dependency[1]}`
  if (file.startsWith('node:_http') || file.startsWith('node:internal/http')) return 'node http'
  if (file.startsWith('node:')) return `node ${file.replace(/^node:(internal\/)?/, '').split('/')[0]}`
  if (file !== '') return path.dirname(file)
  return name.startsWith('(') ? name : 'native'
}

function isOurs(room: string): boolean {
  return room.startsWith('server/') || room === 'contract'
}

function placeOf({ callFrame }: ProfileNode, above: Owner): Place {
  const { functionName, url, lineNumber } = callFrame
  const file = fileOf(url)
  const name = functionName || '(anonymous)'
  const room = roomOf(file, name)
  const label = file === '' ? name : `${name}  ${file}:${lineNumber + 1}`
  const isOwner = isOurs(room) || ['(garbage collector)', '(program)', idle].includes(room)
  return { label, owner: isOwner ? { label, room } : above }
}

/** Returns the place of every node by its id. Parents come before their children. */
function placesOf(nodes: readonly ProfileNode[]): Map<number, Place> {
  const above = new Map<number, Owner>()
  const places = new Map<number, Place>()
  for (const node of nodes) {
    const place = placeOf(node, above.get(node.id) ?? noOwner)
    places.set(node.id, place)
    for (const child of node.children ?? []) above.set(child, place.owner)
  }
  return places
}

/** Returns the microseconds at each node within the period. */
function timesOf({ samples, timeDeltas, startTime }: CpuProfile, { from, to }: Stretch): Map<number, number> {
  const times = new Map<number, number>()
  let at = startTime
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0
    // A sample covers the time until the next one.
    if (at >= from && at < to) times.set(id, (times.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0))
  }
  return times
}

type Spent = readonly (readonly [Place, number])[]

function sharesBy(spent: Spent, keyOf: (place: Place) => string): Share[] {
  const total = spent.reduce((sum, [, time]) => sum + time, 0)
  const sums = new Map<string, number>()
  for (const [place, time] of spent) sums.set(keyOf(place), (sums.get(keyOf(place)) ?? 0) + time)
  return [...sums]
    .map(([label, time]) => ({ label, percent: (time / total) * 100 }))
    .toSorted((a, b) => b.percent - a.percent)
}

function listText(title: string, shares: readonly Share[]): string {
  const rows = shares.slice(0, maxRows).map(({ label, percent }) => `${percent.toFixed(1).padStart(6)} %  ${label}`)
  return `${title}\n${rows.join('\n')}`
}

function summaryText(file: string, stretch: Stretch): string {
  const cpuProfile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile
  const places = placesOf(cpuProfile.nodes)
  const all = [...timesOf(cpuProfile, stretch)].map(([id, time]) => [places.get(id) as Place, time] as const)
  const spent = all.filter(([{ label }]) => label !== idle)
  const [busy, total] = [spent, all].map((some) => some.reduce((sum, [, time]) => sum + time, 0)) as [number, number]
  const withCalls = 'including their calls into Node, packages and native code'
  return [
    `idle ${((1 - busy / total) * 100).toFixed(1)} % of the time. Shares of the rest:`,
    listText(
      'Functions, self time',
      sharesBy(spent, ({ label }) => label),
    ),
    listText(
      `Functions of Rollkey, ${withCalls}`,
      sharesBy(spent, ({ owner }) => owner.label),
    ),
    listText(
      `Rooms of Rollkey, ${withCalls}`,
      sharesBy(spent, ({ owner }) => owner.room),
    ),
  ].join('\n\n')
}

const usual = { rounds: 1, seconds: 5, warmupSeconds: 2, connections: 64 }

async function profileOne(scenario: Scenario, { stores, storeNames, plan, tell }: Context): Promise<string> {
  const folder = newFolder()
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500']
  const service = await startService(await stores.newHome(storeNames[0] ?? 'embedded'), flags)
  const contender = { target: service, ...(await prepare(scenario, service)) }
  const { warmupSeconds, ...options } = plan(usual)
  tell(`${scenario.title}: warming up`)
  await load(contender, { ...options, seconds: warmupSeconds })
  tell(`${scenario.title}: profiling`)
  const { perSecond, stretch } = await load(contender, options)
  await service.stop()
  tell('')
  const [file] = readdirSync(folder)
  if (file === undefined) throw new Error('the service wrote no profile')
  const title = styleText('bold', `${scenario.title}: ${whole(perSecond)} req/s while profiled`)
  return `\n${title}\n${summaryText(path.join(folder, file), stretch)}`
}

/** Profiles the service under each chosen scenario. */
export async function profile(context: Context): Promise<void> {
  for (const scenario of context.scenarios(['secrets'])) console.log(await profileOne(scenario, context))
}
