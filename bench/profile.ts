/** Summary of a profile that Node wrote with --cpu-prof: where the time of a stretch went. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import path from 'node:path'
import type { Stretch } from './load.ts'
import { repository } from './target.ts'

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

/** As written by V8: a tree of calls, and which node was running at each sample. Times in µs of the monotonic clock. */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Where a node's time belongs, once for each way of adding up. */
interface Place {
  readonly label: string
  readonly file: string
  readonly room: string
  /** The function and the room of ours that runs, or that called, through Node and packages, what runs. */
  readonly owner: Owner
}

interface Owner {
  readonly label: string
  readonly room: string
}

interface Share {
  readonly label: string
  readonly percent: number
}

export interface Summary {
  /** Share of the stretch in which nothing ran. */
  readonly idlePercent: number
  readonly functions: readonly Share[]
  readonly files: readonly Share[]
  readonly rooms: readonly Share[]
  readonly ownerFunctions: readonly Share[]
  readonly ownerRooms: readonly Share[]
}

const idle = '(idle)'
const nobody: Owner = { label: '(no code of ours)', room: '(no code of ours)' }

function fileOf(url: string): string {
  return url.startsWith('file:') ? path.relative(repository, fileURLToPath(url)) : url
}

/** A folder of the server, a package, a part of Node, or a word for what has no source. */
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
  return { label, file: file === '' ? room : file, room, owner: isOwner ? { label, room } : above }
}

/** The place of every node by its id; parents come before their children. */
function placesOf(nodes: readonly ProfileNode[]): Map<number, Place> {
  const above = new Map<number, Owner>()
  const places = new Map<number, Place>()
  for (const node of nodes) {
    const place = placeOf(node, above.get(node.id) ?? nobody)
    places.set(node.id, place)
    for (const child of node.children ?? []) above.set(child, place.owner)
  }
  return places
}

/** Microseconds at each node within the stretch. */
function timesOf({ samples, timeDeltas, startTime }: CpuProfile, { from, to }: Stretch): Map<number, number> {
  const times = new Map<number, number>()
  let at = startTime
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0
    // A sample stands for the time until the next one.
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

export function summarize(profileFile: string, stretch: Stretch): Summary {
  const profile = JSON.parse(readFileSync(profileFile, 'utf8')) as CpuProfile
  const places = placesOf(profile.nodes)
  const all = [...timesOf(profile, stretch)].map(([id, time]) => [places.get(id) as Place, time] as const)
  const spent = all.filter(([{ label }]) => label !== idle)
  const busy = spent.reduce((sum, [, time]) => sum + time, 0)
  const total = all.reduce((sum, [, time]) => sum + time, 0)
  return {
    idlePercent: (1 - busy / total) * 100,
    functions: sharesBy(spent, ({ label }) => label),
    files: sharesBy(spent, ({ file }) => file),
    rooms: sharesBy(spent, ({ room }) => room),
    ownerFunctions: sharesBy(spent, ({ owner }) => owner.label),
    ownerRooms: sharesBy(spent, ({ owner }) => owner.room),
  }
}

function listText(title: string, shares: readonly Share[], most: number): string {
  const rows = shares.slice(0, most).map(({ label, percent }) => `${percent.toFixed(1).padStart(6)} %  ${label}`)
  return `${title}\n${rows.join('\n')}`
}

export function summaryText(summary: Summary): string {
  const withCalls = 'with what they call in Node, packages and native code'
  return [
    `idle ${summary.idlePercent.toFixed(1)} % of the time; shares of the rest:`,
    listText('Functions, self time', summary.functions, 25),
    listText('Files, self time', summary.files, 20),
    listText('Rooms, self time', summary.rooms, 20),
    listText(`Functions of ours, ${withCalls}`, summary.ownerFunctions, 25),
    listText(`Rooms of ours, ${withCalls}`, summary.ownerRooms, 20),
  ].join('\n\n')
}
