/** Measured scenarios. Each one has a separate stage, so that the usage tells them apart. */

interface SecretEntry {
  readonly name: string
  readonly kind: 'secret'
  readonly value: string
}

interface RollEntry {
  readonly name: string
  readonly kind: 'ab_roll'
  readonly valueA: string
  readonly valueB: string
  readonly chance: number
}

type Entry = SecretEntry | RollEntry

export interface Scenario {
  /** Name for --scenario, and slug of the stage. */
  readonly name: string
  readonly title: string
  readonly path: string
  /** Variables of the stage. */
  readonly entries: readonly Entry[]
  /** Request bodies without the stage, sent in turn. All have one length, and so do their answers unless it writes. */
  readonly bodies: readonly object[]
  /** Set if requests write instead of evaluating. Their answers have the revision, which gets longer. Only for --profile and --against. */
  readonly writes?: true
  /** Returns whether the answer to the first body contains the written values. */
  isRight(answer: Answer): boolean
}

/** Answers of all measured endpoints. */
export interface Answer {
  readonly value?: string
  readonly decision?: string
  readonly results?: readonly Answer[]
  readonly variables?: Readonly<Record<string, string>>
  readonly updated?: readonly string[]
}

const valueCharacters = 32
const roll = { seed: 'user-4711', key: 'checkout' }

/** Returns a value that names its variable. All values have the same length, and so do the answers. */
function valueOf(name: string, role: string): string {
  return `${role} of ${name} `.padEnd(valueCharacters, '=')
}

function secretNamed(name: string): SecretEntry {
  return { name, kind: 'secret', value: valueOf(name, 'value') }
}

function rollNamed(name: string): RollEntry {
  return { name, kind: 'ab_roll', valueA: valueOf(name, 'a'), valueB: valueOf(name, 'b'), chance: 0.5 }
}

function numbered(prefix: string, length: number): string[] {
  return Array.from({ length }, (_, index) => `${prefix}_${String(index).padStart(4, '0')}`)
}

export function entriesOf(secrets: number, rolls: number): Entry[] {
  return [...numbered('SECRET', secrets).map(secretNamed), ...numbered('ROLL', rolls).map(rollNamed)]
}

function isValueOf(entry: Entry | undefined, value: string | undefined): boolean {
  if (!entry || value === undefined) return false
  return entry.kind === 'secret' ? value === entry.value : [entry.valueA, entry.valueB].includes(value)
}

function isPullOf(entries: readonly Entry[], { variables = {} }: Answer): boolean {
  return (
    Object.keys(variables).length === entries.length &&
    entries.every((entry) => isValueOf(entry, variables[entry.name]))
  )
}

const few = entriesOf(15, 5)
const plain = entriesOf(1_000, 0)
const many = entriesOf(950, 50)

export const scenarios: readonly Scenario[] = [
  {
    name: 'secret',
    title: 'evaluate a secret, all the same one',
    path: '/v1/env/evaluate',
    entries: few,
    bodies: [{ name: 'SECRET_0007' }],
    isRight: ({ value }) => isValueOf(few[7], value),
  },
  {
    name: 'secrets',
    title: 'evaluate a secret, of 1,000 in turn',
    path: '/v1/env/evaluate',
    entries: plain,
    bodies: plain.map(({ name }) => ({ name })),
    isRight: ({ value }) => isValueOf(plain[0], value),
  },
  {
    name: 'roll',
    title: 'evaluate an A/B roll, 1,000 users',
    path: '/v1/env/evaluate',
    entries: few,
    bodies: numbered('user', 1_000).map((seed) => ({ name: 'ROLL_0002', seed, key: roll.key })),
    isRight: ({ value, decision }) => isValueOf(few[17], value) && (decision === 'a' || decision === 'b'),
  },
  {
    name: 'batch',
    title: 'evaluate-batch of 20',
    path: '/v1/env/evaluate-batch',
    entries: few,
    bodies: [{ entries: few.map(({ name, kind }) => (kind === 'secret' ? { name } : { name, ...roll })) }],
    isRight: ({ results = [] }) =>
      results.length === few.length && results.every(({ value }, index) => isValueOf(few[index], value)),
  },
  {
    name: 'pull',
    title: 'pull of 1,000 secrets',
    path: '/v1/env/pull',
    entries: plain,
    bodies: [{}],
    isRight: (answer) => isPullOf(plain, answer),
  },
  {
    name: 'pull-rolls',
    title: 'pull of 1,000, 50 of them rolls',
    path: '/v1/env/pull',
    entries: many,
    bodies: [roll],
    isRight: (answer) => isPullOf(many, answer),
  },
  {
    name: 'write',
    title: 'write a variable',
    path: '/v1/env/write',
    entries: few,
    bodies: few.slice(0, 15).map((entry) => ({ mode: 'upsert', entries: [entry] })),
    writes: true,
    isRight: ({ updated = [] }) => updated[0] === few[0]?.name,
  },
]
