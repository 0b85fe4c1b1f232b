/** Decisions inside a program, beside the client libraries of others. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { median } from '../figures.ts'
import { aimText, atLeast, atMost, type Aim, type Context, type Part, type Section } from '../part.ts'
import { installLibraries, installed, libraries } from '../peers.ts'

const decider = path.join(import.meta.dirname, '..', 'decider.ts')
/** The young generation has room for all garbage of a measurement. */
const flags = ['--conditions=source', '--expose-gc', '--max-semi-space-size=128']
const usualRounds = 3
const ours = 'Rollkey'
const floor = 'SHA-256 alone (node:crypto)'

/** What the program of a library measures, for users who come again and for new ones. */
interface Measured {
  readonly known: Decisions
  readonly others: Decisions
}

interface Decisions {
  /** Processor time of a decision in each round, in nanoseconds. */
  readonly ns: readonly number[]
  /** Garbage of a decision, in bytes. */
  readonly bytes: number
}

async function measure(name: string): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, decider, name, installed])
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Measured
}

const titles: Readonly<Record<string, string>> = { rollkey: ours, hash: floor }

/** Returns the least nanoseconds: whatever else the machine does only adds to them. */
function nsOf(runs: readonly Measured[], which: keyof Measured): number {
  return Math.min(...runs.flatMap((each) => each[which].ns))
}

function bytesOf(runs: readonly Measured[], which: keyof Measured): number {
  return median(runs.map((each) => each[which].bytes))
}

function aimsOf(all: ReadonlyMap<string, readonly Measured[]>): Aim[] {
  const runs = all.get('rollkey') ?? []
  const ns = nsOf(runs, 'known')
  return [
    atLeast('new users: million decisions a second', 1_000 / nsOf(runs, 'others'), 1),
    atLeast('users in turn: million decisions a second', 1_000 / ns, 5),
    atMost('garbage of a decision', bytesOf(runs, 'known'), 500, ' bytes'),
    ...libraries
      .filter(({ name }) => all.has(name))
      .map(({ name }) => atLeast(`times ${name}`, nsOf(all.get(name) ?? [], 'known') / ns, 1)),
  ]
}

async function run({ plan, tell }: Context): Promise<Section> {
  tell('installing the libraries')
  const failed = await installLibraries()
  const names = ['rollkey', 'hash', ...(failed === undefined ? libraries.map(({ name }) => name) : [])]
  const all = new Map<string, Measured[]>(names.map((name) => [name, []]))
  const { rounds } = plan({ rounds: usualRounds, seconds: 0, warmupSeconds: 0, connections: 0 })
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      tell(`${name}, round ${round + 1}`)
      all.get(name)?.push(await measure(name))
    }
  }
  const aims = aimsOf(all)
  return {
    title: 'Decisions in the process',
    how:
      'A roll of 50 % by user, with one rule that does not match, on one thread: 1,000 users in turn, and users who were not seen before. ' +
      `Processor time, the least of ${rounds} × 7 rounds of 200,000 decisions, each library in a process that it has for itself.`,
    headings: [
      'library',
      'in turn: ns',
      'million/s',
      'garbage bytes',
      'new users: ns',
      'million/s',
      'garbage bytes',
      'aim',
    ],
    textColumns: 1,
    rows: [...all].map(([name, runs]) => {
      const version = libraries.find((library) => library.name === name)?.version
      const figures = (['known', 'others'] as const).flatMap((which) => {
        const ns = nsOf(runs, which)
        return [ns.toFixed(0), (1_000 / ns).toFixed(2), bytesOf(runs, which).toFixed(0)]
      })
      return [
        titles[name] ?? `${name} ${version}`,
        ...figures,
        aimText(aims.find(({ what }) => what === `times ${name}`)),
      ]
    }),
    aims,
    notes: [
      'Rollkey hashes with SHA-256, so that the side of a user cannot be guessed and is the same in every language; the others hash ' +
        'with MurmurHash3 or FNV, except LaunchDarkly (SHA-1). Rollkey remembers the buckets of 2,000 users of a roll.',
      ...(failed === undefined ? [] : [`The libraries are left out because npm could not install them: ${failed}`]),
    ],
    faults: [],
  }
}

export const inProcess: Part = { name: 'in-process', run }
