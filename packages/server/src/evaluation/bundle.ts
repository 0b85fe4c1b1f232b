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
import { OpenedText, TurnCache } from './turn-memory.ts'

export interface Bundle {
  readonly pieces: readonly Piece[]
  /** Where each variable is, from the first request for single values on. */
  places?: ReadonlyMap<StoredVariable, Place>
}
/** The text of consecutive variables, `"NAME":"value",…,`, with a comma after each. */
interface Piece {
  readonly sealed: Buffer
  /** In the order of the text. */
  readonly variables: readonly StoredVariable[]
  /**
   * Where the values of each variable are, as JSON, in the text: `boundsPerVariable` positions, of which each value begins at one and
   * ends at the next. A variable with fewer values repeats its last end.
   */
  readonly bounds: Uint32Array
  readonly stretches: readonly Stretch[]
}

/** Variables with several values, with little text between them. A pull copies stretches, and shares the text between them. */
interface Stretch {
  /** Where the values of the first one begin in the text. */
  readonly start: number
  /** Where the values of the last one end. */
  readonly end: number
  /** Their indexes in the piece. */
  readonly rolls: readonly number[]
}

/** The piece that has a variable, and the variable's index in it. */
interface Place {
  readonly piece: Piece
  readonly at: number
}

const boundsPerVariable = 1 + Math.max(...Object.values(kinds).map(({ values }) => values.length))

/** A variable with the choice of one of its values. */
export interface ChosenVariable {
  readonly variable: StoredVariable
  readonly choice: Choice
}

const textsOfThisTurn = new TurnCache<Piece, OpenedText>((text) => text.release())
const bundles = new WeakMap<Stage, Bundle | CannotOpen>()
/** Pieces of bundles by their first variable. A write keeps most variables of a stage in memory, and so most pieces. */
const piecesByFirstVariable = new WeakMap<StoredVariable, Piece>()
/** The length from which a piece ends where a piece in memory begins, so that all later pieces are reused. */
const minPieceBytes = largeBytes / 2
// Associated data that no stored variable can have, because names are not empty.
const [bundleName, bundleKind, bundleRole] = ['', 'pull', 'bundle']
/** The number of bytes from which sharing a text costs less than copying it, as it is then sent apart. */
const minSharedBytes = 4_096
/** Builds the bundle. Yields after each variable that it opens and each piece that it reuses. Throws CannotOpen. */
function* buildBundle(stage: Stage): Generator<undefined, Bundle> {
  const variables = [...stage.variables.values()]
  const pieces: Piece[] = []
  // A changed piece may grow; otherwise all pieces after it would begin at other variables.
  const maxBytes = variables.some((variable) => piecesByFirstVariable.has(variable)) ? 2 * largeBytes : largeBytes
  for (let next = 0; next < variables.length; next += pieces.at(-1)?.variables.length ?? 0) {
    const piece = pieceInMemory(variables, next) ?? (yield* buildPiece(stage, variables, next, maxBytes))
    piecesByFirstVariable.set(variables[next] as StoredVariable, piece)
    pieces.push(piece)
    yield
  }
  return { pieces }
}

/** Returns the piece in memory whose variables are those from `start` on. */
function pieceInMemory(variables: readonly StoredVariable[], start: number): Piece | undefined {
  const piece = piecesByFirstVariable.get(variables[start] as StoredVariable)
  return piece?.variables.every((variable, at) => variable === variables[start + at]) ? piece : undefined
}

function* buildPiece(
  stage: Stage,
  variables: readonly StoredVariable[],
  start: number,
  maxBytes: number,
): Generator<undefined, Piece> {
  const parts: string[] = []
  const bounds: number[] = []
  const rolls: number[] = []
  let length = 0
  const add = (text: string): void => {
    parts.push(text)
    length += Buffer.byteLength(text)
  }
  let next = start
  for (; next < variables.length; next++) {
    const variable = variables[next] as StoredVariable
    if (length >= maxBytes || (length >= minPieceBytes && pieceInMemory(variables, next))) break
    piecesByFirstVariable.delete(variable)
    add(`${JSON.stringify(variable.name)}:`)
    bounds.push(length)
    const { values } = kinds[variable.kind]
    for (let index = 0; index < boundsPerVariable - 1; index++) {
      if (index < values.length) add(JSON.stringify(openValue(stage.sealer, variable, index).toString()))
      bounds.push(length)
    }
    add(',')
    if (values.length > 1) rolls.push(next - start)
    yield
  }
  const sealed = stage.sealer.seal(bundleName, bundleKind, bundleRole, Buffer.from(parts.join('')))
  return {
    sealed,
    variables: variables.slice(start, next),
    bounds: Uint32Array.from(bounds),
    stretches: stretchesOf(rolls, bounds),
  }
}

function stretchesOf(rolls: readonly number[], bounds: readonly number[]): Stretch[] {
  const stretches: (Stretch & { end: number; rolls: number[] })[] = []
  for (const at of rolls) {
    const [start, end] = [boundOf({ bounds }, at, 0), boundOf({ bounds }, at, boundsPerVariable - 1)]
    const last = stretches.at(-1)
    if (last && start - last.end < minSharedBytes) {
      last.rolls.push(at)
      last.end = end
    } else stretches.push({ start, end, rolls: [at] })
  }
  return stretches
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

/** Returns whether the bundle is in memory, or is known not to open. */
export function hasBundle(stage: Stage): boolean {
  return bundles.has(stage)
}

/** Returns the bundle, built once, or the error if a value of the stage does not open. */
export function bundleOf(stage: Stage): Bundle | CannotOpen {
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
function textOf({ sealer }: Stage, piece: Piece): OpenedText {
  return textsOfThisTurn.get(piece, () => new OpenedText(sealer.open(bundleName, bundleKind, bundleRole, piece.sealed)))
}

/** A part of the members of an answer's `variables` object, `"NAME":"value",…`. */
export interface OpenedPiece {
  /** Consecutive parts of the text. Requests of this turn of the event loop share most of them: do not modify them. */
  readonly texts: readonly Buffer[]
  /** The choices that the text contains. */
  readonly chosen: readonly ChosenVariable[]
  /** To be called at most once, when the texts are not read any more. */
  readonly release: () => void
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
    const chosen: ChosenVariable[] = []
    const indexAt = (at: number): number => {
      const variable = piece.variables[at] as StoredVariable
      const choice = choose(variable)
      chosen.push({ variable, choice })
      return choice.index
    }
    const text = textOf(stage, piece)
    text.hold()
    const { bytes } = text
    yield {
      texts: withChoices(piece === last ? bytes.subarray(0, -1) : bytes, piece, indexAt),
      chosen,
      release: () => text.release(),
    }
  }
}

/** Returns the parts of the text with one value of each roll, which `indexAt` chooses. */
function withChoices(text: Buffer, piece: Piece, indexAt: (at: number) => number): Buffer[] {
  const texts: Buffer[] = []
  let from = 0
  for (const stretch of piece.stretches) {
    texts.push(text.subarray(from, stretch.start), copyOf(text, piece, stretch, indexAt))
    from = stretch.end
  }
  texts.push(text.subarray(from))
  return texts
}

/** Returns a copy of the text of a stretch, with one value of each roll. */
function copyOf(text: Buffer, piece: Piece, { start, end, rolls }: Stretch, indexAt: (at: number) => number): Buffer {
  const copy = Buffer.allocUnsafe(end - start)
  let from = start
  let length = 0
  for (const at of rolls) {
    const index = indexAt(at)
    length += text.copy(copy, length, from, boundOf(piece, at, 0))
    length += text.copy(copy, length, boundOf(piece, at, index), boundOf(piece, at, index + 1))
    from = boundOf(piece, at, boundsPerVariable - 1)
  }
  return copy.subarray(0, length)
}

/** Returns where a value of a variable begins in the text of the piece, and the value before it ends. */
function boundOf({ bounds }: { readonly bounds: ArrayLike<number> }, at: number, index: number): number {
  return bounds[at * boundsPerVariable + index] as number
}

function placesOf({ pieces }: Bundle): ReadonlyMap<StoredVariable, Place> {
  return new Map(pieces.flatMap((piece) => piece.variables.map((variable, at) => [variable, { piece, at }] as const)))
}

/** Returns one plaintext of a variable from the bundle. Throws CannotOpen. */
export function openFrom(stage: Stage, bundle: Bundle, variable: StoredVariable, index: number): string {
  bundle.places ??= placesOf(bundle)
  const { piece, at } = bundle.places.get(variable) as Place
  const { bytes } = textOf(stage, piece)
  return JSON.parse(bytes.toString('utf8', boundOf(piece, at, index), boundOf(piece, at, index + 1))) as string
}
