/**
 * A bundle is the text of a pull's answer, sealed in memory. Opening a thousand values one by one costs a thousand cipher
 * set-ups; opening the bundle costs one. It is built when a revision is first pulled, and is dropped with its stage.
 *
 * The text is cut at each roll: text | value A | value B | text | … , so that a pull joins the texts with the values that
 * its seed selects. A long text is sealed in pieces: the server serves other requests between two pieces, and a write
 * rebuilds only the pieces that it changes.
 */
import { kinds, type Choice } from '@rollkey/contract'
import { largeBytes, TimeSlices } from '../concurrency/time-slices.ts'
import { CannotOpen } from '../crypto/seal.ts'
import type { Stage } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { openValue } from '../variables/values.ts'

interface Bundle {
  readonly pieces: readonly Piece[]
  readonly pieceOf: ReadonlyMap<string, Piece>
}

/** The text of consecutive variables, `"NAME":"value",…,`, with a comma after each. */
interface Piece {
  readonly sealed: Buffer
  /** Cuts by name, in the order of the text. */
  readonly cuts: ReadonlyMap<string, Cut>
  /** The cuts of variables with several values, in the order of the text. */
  readonly rolls: readonly Cut[]
}

/** The position of a variable's values, as JSON, in the text of its piece. */
interface Cut {
  readonly variable: StoredVariable
  /** The start of each value. Each value ends where the next begins, the last one at `end`. */
  readonly starts: readonly number[]
  readonly end: number
}

/** A variable with the choice of one of its values. */
export interface ChosenVariable extends Choice {
  readonly variable: StoredVariable
}

/** A function that returns one plaintext of a variable. It throws CannotOpen. */
export type OpenValue = (variable: StoredVariable, index: number) => string

/**
 * Plaintexts opened in this turn of the event loop, by their sealed bytes. Requests that arrive together often need the same
 * values and share them. After the turn, a plaintext exists only in the answers that contain it.
 */
class TurnCache<Opened extends object | string> {
  readonly #opened = new Map<Buffer, Opened>()

  get(sealed: Buffer, open: () => Opened): Opened {
    let opened = this.#opened.get(sealed)
    if (opened === undefined) {
      opened = open()
      if (this.#opened.size === 0) setImmediate(() => this.#opened.clear())
      this.#opened.set(sealed, opened)
    }
    return opened
  }
}

const valuesOfThisTurn = new TurnCache<string>()
const bundlesOfThisTurn = new TurnCache<Buffer>()
const bundles = new WeakMap<Stage, Bundle | CannotOpen>()
/** Pieces of bundles by their first variable. A write keeps most variables of a stage in memory, and so most pieces. */
const piecesByFirstVariable = new WeakMap<StoredVariable, Piece>()
/** The length from which a piece ends where a piece in memory begins, so that all later pieces are reused. */
const minPieceBytes = largeBytes / 2
// Associated data that no stored variable can have, because names are not empty.
const [bundleName, bundleKind, bundleRole] = ['', 'pull', 'bundle']
/** The number of bytes whose decryption costs as much as one cipher set-up (docs/decisions/0004). */
const bytesPerCipherSetup = 13_000
const missingPayload = Buffer.alloc(0)

function openerOf({ sealer }: Stage): OpenValue {
  return (variable, index) => openValue(sealer, variable, index).toString()
}

/** Builds the bundle. Yields after each variable that it opens and each piece that it reuses. Throws CannotOpen. */
function* buildBundle(stage: Stage): Generator<undefined, Bundle> {
  const variables = [...stage.variables.values()]
  const pieces: Piece[] = []
  const pieceOf = new Map<string, Piece>()
  // A changed piece may grow; otherwise all pieces after it would begin at other variables.
  const maxBytes = variables.some((variable) => piecesByFirstVariable.has(variable)) ? 2 * largeBytes : largeBytes
  for (let next = 0; next < variables.length; next = pieceOf.size) {
    const piece = pieceInMemory(variables, next) ?? (yield* buildPiece(stage, variables, next, maxBytes))
    piecesByFirstVariable.set(variables[next] as StoredVariable, piece)
    pieces.push(piece)
    for (const name of piece.cuts.keys()) pieceOf.set(name, piece)
    yield
  }
  return { pieces, pieceOf }
}

/** Returns the piece in memory whose variables are those from `start` on. */
function pieceInMemory(variables: readonly StoredVariable[], start: number): Piece | undefined {
  const piece = piecesByFirstVariable.get(variables[start] as StoredVariable)
  let next = start
  for (const { variable } of piece?.cuts.values() ?? []) if (variable !== variables[next++]) return undefined
  return piece
}

function* buildPiece(
  stage: Stage,
  variables: readonly StoredVariable[],
  start: number,
  maxBytes: number,
): Generator<undefined, Piece> {
  const open = openerOf(stage)
  const parts: string[] = []
  const cuts = new Map<string, Cut>()
  const rolls: Cut[] = []
  let length = 0
  const add = (text: string): number => {
    parts.push(text)
    const begin = length
    length += Buffer.byteLength(text)
    return begin
  }
  for (let next = start; next < variables.length; next++) {
    const variable = variables[next] as StoredVariable
    if (length >= maxBytes || (length >= minPieceBytes && pieceInMemory(variables, next))) break
    piecesByFirstVariable.delete(variable)
    add(`${JSON.stringify(variable.name)}:`)
    const starts = kinds[variable.kind].values.map((_, index) => add(JSON.stringify(open(variable, index))))
    const cut = { variable, starts, end: length }
    add(',')
    cuts.set(variable.name, cut)
    if (starts.length > 1) rolls.push(cut)
    yield
  }
  return { sealed: stage.sealer.seal(bundleName, bundleKind, bundleRole, Buffer.from(parts.join(''))), cuts, rolls }
}

/** Runs one step. Returns the finished bundle, the error that prevents it, or undefined if steps remain. */
function runStep(stage: Stage, steps: Generator<undefined, Bundle>): Bundle | CannotOpen | undefined {
  try {
    const { done, value } = steps.next()
    if (!done) return undefined
    bundles.set(stage, value)
    return value
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error
    bundles.set(stage, error)
    return error
  }
}

/** Returns the bundle, built once, or the error if a value of the stage does not open. */
function bundleOf(stage: Stage): Bundle | CannotOpen {
  const known = bundles.get(stage)
  if (known) return known
  const steps = buildBundle(stage)
  for (;;) {
    const bundle = runStep(stage, steps)
    if (bundle) return bundle
  }
}

/** Builds the bundle of a large stage in time slices, between which the server serves other requests. */
export async function buildInSlices(stage: Stage): Promise<void> {
  const steps = buildBundle(stage)
  const slices = new TimeSlices()
  while (!bundles.has(stage) && !runStep(stage, steps)) if (slices.isOver) await slices.next()
}

/** Returns the text of a piece. All requests of this turn of the event loop share it: do not modify it. */
function textOf(stage: Stage, { sealed }: Piece): Buffer {
  return bundlesOfThisTurn.get(sealed, () => stage.sealer.open(bundleName, bundleKind, bundleRole, sealed))
}

/** A part of the members of an answer's `variables` object, `"NAME":"value",…`. */
export interface OpenedPiece {
  readonly text: Buffer
  /** The choices that the text contains. */
  readonly chosen: readonly ChosenVariable[]
}

/** Yields the opened stage in pieces. Throws CannotOpen if any value of the stage does not open. */
export function* openAll(
  stage: Stage,
  choose: (variable: StoredVariable) => Choice,
): Generator<OpenedPiece, undefined> {
  const bundle = bundleOf(stage)
  if (bundle instanceof CannotOpen) throw bundle
  const last = bundle.pieces.at(-1)
  for (const piece of bundle.pieces) {
    const chosen = piece.rolls.map(({ variable }) => ({ variable, ...choose(variable) }))
    const text = withChoices(textOf(stage, piece), piece.rolls, chosen)
    yield { text: piece === last ? text.subarray(0, -1) : text, chosen }
  }
}

/** Returns the text with only the chosen value of each roll. */
function withChoices(text: Buffer, rolls: readonly Cut[], choices: readonly Choice[]): Buffer {
  if (rolls.length === 0) return text
  const result = Buffer.allocUnsafe(text.length)
  let from = 0
  let to = 0
  const keep = (start: number, end: number): void => {
    to += text.copy(result, to, start, end)
  }
  for (const [at, { starts, end }] of rolls.entries()) {
    const { index } = choices[at] as Choice
    keep(from, starts[0] as number)
    keep(starts[index] as number, starts[index + 1] ?? end)
    from = end
  }
  keep(from, text.length)
  return result.subarray(0, to)
}

function sharedInTurn(open: OpenValue): OpenValue {
  return (variable, index) => {
    const payload = variable.payloads[index] ?? missingPayload
    return valuesOfThisTurn.get(payload, () => open(variable, index))
  }
}

/** Returns a function that opens each value once, for a request that takes several turns of the event loop. */
export function openEachOnce(stage: Stage): OpenValue {
  const open = openerOf(stage)
  const opened = new Map<Buffer, string>()
  return (variable, index) => {
    const payload = variable.payloads[index] ?? missingPayload
    const value = opened.get(payload) ?? open(variable, index)
    opened.set(payload, value)
    return value
  }
}

/** Returns the cheaper way to open `count` values of a stage: one by one, or from its bundle. */
export function openSome(stage: Stage, count: number): OpenValue {
  const single = sharedInTurn(openerOf(stage))
  if (count <= 1 + stage.bytes / bytesPerCipherSetup) return single
  const bundle = bundleOf(stage)
  if (bundle instanceof CannotOpen) return single
  return sharedInTurn(({ name }, index) => {
    const piece = bundle.pieceOf.get(name) as Piece
    const { starts, end } = piece.cuts.get(name) as Cut
    const text = textOf(stage, piece)
    return JSON.parse(text.toString('utf8', starts[index], starts[index + 1] ?? end)) as string
  })
}
