/**
 * Regular expressions that take linear time: the syntax of JavaScript (flag `u`) without backreferences, lookaround and word boundaries.
 * A pattern is a set of positions, one for each character that it names. A set of bits says which positions the text has reached, and
 * each character moves all of them at once (V. M. Glushkov, "The abstract theory of automata", 1961), so nothing is ever tried twice.
 */

/** Maximum positions of a pattern; a repetition counts as often as it repeats. */
const maxPatternPositions = 256
/** Maximum length of a pattern, in characters. */
export const maxPatternCharacters = 512
/** Maximum length of a text that a pattern is compared with, in characters. Longer ones do not match. */
export const maxMatchedCharacters = 2_048

const lastCodePoint = 0x10ffff
const wordBits = 32
/** Sets of follow-ups are added four positions at a time. */
const chunkBits = 4
const chunkSize = 1 << chunkBits

/** First and last code points of ranges, in order. */
type Ranges = readonly number[]

type Node =
  | { readonly type: 'set'; readonly ranges: Ranges; readonly written?: number }
  | { readonly type: 'begin' | 'end' | 'empty' }
  | { readonly type: 'sequence' | 'choice'; readonly nodes: readonly Node[] }
  | { readonly type: 'repeat'; readonly node: Node; readonly min: number; readonly max: number }

class PatternError extends Error {}

const digits: Ranges = [0x30, 0x39]
const wordCharacters: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]
// prettier-ignore
const spaces: Ranges = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f,
  0x3000, 0x3000, 0xfeff, 0xfeff,
]
const lineEnds: Ranges = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029]

const classes: Readonly<Record<string, Ranges>> = {
  d: digits,
  D: inverse(digits),
  w: wordCharacters,
  W: inverse(wordCharacters),
  s: spaces,
  S: inverse(spaces),
}
const controls: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, v: 0x0b, f: 0x0c, r: 0x0d, '0': 0 }
const syntaxCharacters = '^$\\.*+?()[]{}|/'

function inverse(ranges: Ranges): Ranges {
  const outside: number[] = []
  let next = 0
  for (let at = 0; at < ranges.length; at += 2) {
    const first = ranges[at] as number
    if (first > next) outside.push(next, first - 1)
    next = (ranges[at + 1] as number) + 1
  }
  return next > lastCodePoint ? outside : [...outside, next, lastCodePoint]
}

/** Returns the ranges in order, without overlaps. */
function merged(pairs: (readonly [number, number])[]): Ranges {
  const ranges: number[] = []
  for (const [first, last] of pairs.toSorted(([a], [b]) => a - b)) {
    const end = ranges.at(-1)
    if (end !== undefined && first <= end + 1) ranges[ranges.length - 1] = Math.max(end, last)
    else ranges.push(first, last)
  }
  return ranges
}

function pairsOf(ranges: Ranges): [number, number][] {
  return Array.from({ length: ranges.length / 2 }, (_, at) => [ranges[2 * at] as number, ranges[2 * at + 1] as number])
}

/** The ranges of single characters of ASCII, by code point. */
const ascii: Ranges[] = Array.from({ length: 128 }, (_, code) => [code, code])

class Parser {
  readonly #characters: readonly string[]
  /** The ranges of other single characters, by code point: positions of one set share them. */
  #single: Map<number, Ranges> | undefined
  #at = 0

  constructor(pattern: string) {
    this.#characters = Array.from(pattern)
  }

  parse(): Node {
    const node = this.#choice()
    if (this.#next === ')') throw new PatternError('has a ")" without its "("')
    return node
  }

  get #next(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(character: string): boolean {
    if (this.#next !== character) return false
    this.#at++
    return true
  }

  #choice(): Node {
    const nodes = [this.#sequence()]
    while (this.#take('|')) nodes.push(this.#sequence())
    if (nodes.length === 1) return nodes[0] as Node
    const pairs: [number, number][] = []
    for (const node of nodes) {
      if (node.type !== 'set') return { type: 'choice', nodes }
      pairs.push(...pairsOf(node.ranges))
    }
    // (a|b) is [ab], which is one position. It counts as it is written.
    return { type: 'set', ranges: merged(pairs), written: nodes.reduce((sum, node) => sum + sizeOf(node), 0) }
  }

  #sequence(): Node {
    const nodes: Node[] = []
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') nodes.push(this.#repeated())
    if (nodes.length === 1 && nodes[0]?.type === 'set') return nodes[0]
    return nodes.length === 0 ? { type: 'empty' } : { type: 'sequence', nodes }
  }

  #repeated(): Node {
    const node = this.#atom()
    const counts = this.#quantifier()
    if (!counts) return node
    if (node.type === 'begin' || node.type === 'end') throw new PatternError('repeats "^" or "$"')
    // Lazy or not, the same texts match.
    this.#take('?')
    if (this.#quantifier()) throw new PatternError('repeats a repetition: put it in a group, as in (?:a+)*')
    return { type: 'repeat', node, ...counts }
  }

  #quantifier(): { readonly min: number; readonly max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Infinity }
    if (this.#take('+')) return { min: 1, max: Infinity }
    if (this.#take('?')) return { min: 0, max: 1 }
    if (!this.#take('{')) return undefined
    const min = this.#number()
    const max = !this.#take(',') ? min : this.#next === '}' ? Infinity : this.#number()
    if (!this.#take('}') || max < min) throw new PatternError('has a "{" that is not a repetition such as {2} or {2,5}')
    return { min, max }
  }

  #number(): number {
    let text = ''
    while (/^[0-9]$/.test(this.#next ?? '')) text += this.#characters[this.#at++]
    if (text === '')
      throw new PatternError('has a "{" that is not a repetition such as {2} or {2,5}: write \\{ for the character')
    if (Number(text) > maxPatternPositions) throw tooLarge()
    return Number(text)
  }

  #atom(): Node {
    const character = this.#characters[this.#at++] as string
    if (character === '(') return this.#group()
    if (character === '[') return { type: 'set', ranges: this.#set() }
    if (character === '^') return { type: 'begin' }
    if (character === '$') return { type: 'end' }
    if (character === '.') return { type: 'set', ranges: inverse(lineEnds) }
    if (character === '\\') return { type: 'set', ranges: this.#escape('') }
    if ('*+?{'.includes(character))
      throw new PatternError(`has a "${character}" with nothing to repeat: write \\${character} for the character`)
    if (']}'.includes(character))
      throw new PatternError(`has a "${character}" without its opening bracket: write \\${character} for the character`)
    return { type: 'set', ranges: this.#only(character.codePointAt(0) as number) }
  }

  #group(): Node {
    if (this.#take('?') && !this.#take(':'))
      throw new PatternError('has lookaround, a name or flags in a group: only (…) and (?:…) are supported')
    const node = this.#choice()
    if (!this.#take(')')) throw new PatternError('has a "(" without its ")"')
    return node
  }

  /** Returns the characters of an escape, after its backslash. `also` are further characters that may be escaped. */
  #escape(also: string): Ranges {
    const character = this.#characters[this.#at++]
    if (character === undefined) throw new PatternError('ends with a "\\"')
    const ranges = classes[character]
    if (ranges) return ranges
    const control = controls[character]
    if (control !== undefined && !/^[0-9]$/.test(control === 0 ? (this.#next ?? '') : '')) return this.#only(control)
    if (character === 'x' || character === 'u') return this.#coded(character)
    if (syntaxCharacters.includes(character) || also.includes(character))
      return this.#only(character.codePointAt(0) as number)
    if (/^[0-9k]$/.test(character)) throw new PatternError('has a backreference, which takes more than linear time')
    throw new PatternError(`has the escape \\${character}, which is not supported`)
  }

  #coded(kind: 'x' | 'u'): Ranges {
    const rest = this.#characters.slice(this.#at, this.#at + 8).join('')
    const match = (kind === 'x' ? /^[0-9A-Fa-f]{2}/ : /^(?:\{[0-9A-Fa-f]{1,6}\}|[0-9A-Fa-f]{4})/).exec(rest)
    const code = parseInt((match?.[0] ?? '').replace(/[{}]/g, ''), 16)
    if (!match || !(code <= lastCodePoint)) throw new PatternError(`has an incomplete escape \\${kind}`)
    this.#at += match[0].length
    return this.#only(code)
  }

  #only(code: number): Ranges {
    const known = ascii[code]
    if (known) return known
    const single = (this.#single ??= new Map())
    const ranges = single.get(code) ?? [code, code]
    single.set(code, ranges)
    return ranges
  }

  #set(): Ranges {
    const isInverse = this.#take('^')
    const pairs: [number, number][] = []
    while (!this.#take(']')) {
      const from = this.#member()
      if (this.#next !== '-' || this.#characters[this.#at + 1] === ']') {
        pairs.push(...pairsOf(from))
        continue
      }
      this.#at++
      const to = this.#member()
      if (
        from.length > 2 ||
        to.length > 2 ||
        from[0] !== from[1] ||
        to[0] !== to[1] ||
        (from[0] as number) > (to[0] as number)
      )
        throw new PatternError('has a range in brackets that is not one, such as [z-a] or [\\w-z]')
      pairs.push([from[0] as number, to[0] as number])
    }
    return isInverse ? inverse(merged(pairs)) : merged(pairs)
  }

  #member(): Ranges {
    const character = this.#characters[this.#at++]
    if (character === undefined) throw new PatternError('has a "[" without its "]"')
    return character === '\\' ? this.#escape('-') : this.#only(character.codePointAt(0) as number)
  }
}

function tooLarge(): PatternError {
  return new PatternError(`is too large: repetitions included, it may have ${maxPatternPositions} characters`)
}

/** Returns the positions of a node. What has none counts as one, because it takes time when it is repeated. */
function sizeOf(node: Node): number {
  if (node.type === 'repeat') return sizeOf(node.node) * Math.max(1, node.max === Infinity ? node.min : node.max)
  if (node.type === 'set') return node.written ?? 1
  if (node.type !== 'sequence' && node.type !== 'choice') return 1
  let size = 0
  for (const each of node.nodes) size += sizeOf(each)
  return size
}

/** Throws PatternError. */
function parse(pattern: string): Node {
  const node = new Parser(pattern).parse()
  if (sizeOf(node) > maxPatternPositions) throw tooLarge()
  return node
}

/** A set of positions: 32 bits in each word. A list, because thousands of small typed arrays are costly garbage. */
type Bits = number[]

/** What of a pattern a part is: the positions with which it begins and ends, and whether it matches nothing. */
interface Part {
  readonly isEmpty: boolean
  readonly first: Bits
  readonly last: Bits
}

/** The positions of a pattern and what follows each. */
class Positions {
  readonly words: number
  /** What each position is: its characters, or an end of the text. */
  readonly nodes: Node[] = []
  /** The positions that follow each position. */
  readonly follow: Bits

  constructor(size: number) {
    this.words = Math.ceil(size / wordBits)
    this.follow = noBits(size * this.words)
  }

  build(node: Node): Part {
    if (node.type === 'empty') return this.#nothing()
    if (node.type === 'repeat') return this.#repeated(node)
    if (node.type === 'sequence') return this.#all(node.nodes, (a, b) => this.#joined(a, b))
    if (node.type === 'choice') return this.#all(node.nodes, eitherOf)
    const bits = noBits(this.words)
    setBit(bits, this.nodes.length)
    this.nodes.push(node)
    return { isEmpty: false, first: bits, last: bits }
  }

  #nothing(): Part {
    const none = noBits(this.words)
    return { isEmpty: true, first: none, last: none }
  }

  #all(nodes: readonly Node[], join: (a: Part, b: Part) => Part): Part {
    let part = this.build(nodes[0] as Node)
    for (let at = 1; at < nodes.length; at++) part = join(part, this.build(nodes[at] as Node))
    return part
  }

  /**
   * Only the copy before leads to a copy: those that match nothing may be the last ones. Led to by all copies before, the copies of
   * `(a?){127}` would have as many follow-ups as the square of their number.
   */
  #repeated({ node, min, max }: Node & { type: 'repeat' }): Part {
    const copies = max === Infinity ? Math.max(min, 1) : max
    if (copies === 0) return this.#nothing()
    let copy = this.build(node)
    const isEmpty = min === 0 || copy.isEmpty
    const { first } = copy
    let { last } = copy
    for (let made = 1; made < copies; made++) {
      const next = this.build(node)
      this.#link(copy.last, next.first)
      last = isEmpty || made >= min ? union(last, next.last) : next.last
      copy = next
    }
    if (max === Infinity) this.#link(copy.last, copy.first)
    return { isEmpty, first, last }
  }

  #joined(a: Part, b: Part): Part {
    this.#link(a.last, b.first)
    return {
      isEmpty: a.isEmpty && b.isEmpty,
      first: a.isEmpty ? union(a.first, b.first) : a.first,
      last: b.isEmpty ? union(a.last, b.last) : b.last,
    }
  }

  /** Lets each of `last` be followed by each of `first`, in as few steps as there are bits: most parts begin with few positions. */
  #link(last: Bits, first: Bits): void {
    const { words, follow } = this
    for (let word = 0; word < words; word++) {
      const bits = first[word] as number
      if (bits === 0) continue
      for (let from = 0; from < words; from++)
        for (let rest = last[from] as number; rest !== 0; rest &= rest - 1) {
          const at = (from * wordBits + 31 - Math.clz32(rest & -rest)) * words + word
          follow[at] = (follow[at] as number) | bits
        }
    }
  }
}

function eitherOf(a: Part, b: Part): Part {
  return { isEmpty: a.isEmpty || b.isEmpty, first: union(a.first, b.first), last: union(a.last, b.last) }
}

/** As many zeros as there can be in a table: a copy of a part is made at once. */
const zeros: Bits = Array.from({ length: maxPatternPositions ** 2 / wordBits }, () => 0)

function noBits(words: number): Bits {
  return zeros.slice(0, words)
}

function setBit(bits: Bits, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31))
}

function add(to: Bits, bits: Bits): void {
  for (let word = 0; word < to.length; word++) to[word] = (to[word] as number) | (bits[word] as number)
}

function union(a: Bits, b: Bits): Bits {
  const both = a.slice()
  add(both, b)
  return both
}

function contains(ranges: Ranges, code: number): boolean {
  for (let at = 0; at < ranges.length; at += 2)
    if (code <= (ranges[at + 1] as number)) return code >= (ranges[at] as number)
  return false
}

/** The positions that a text has reached. */
interface State {
  readonly bits: Bits
  /** Whether the pattern has ended. */
  readonly ends: boolean
  /** Whether no further character can lead to its end. */
  readonly isDead: boolean
  /** The states after a character of each class; undefined for a state that is not remembered. */
  next: Map<number, State> | undefined
}

/** Classes of characters that no position of a pattern tells apart. */
class CharacterClasses {
  /** First code point of each range, whose number is the class. */
  readonly #starts: readonly number[]
  /** The range of the last character: that of the next is usually the same. */
  #from = 0
  #to = -1
  #last = 0
  readonly masks: (Bits | undefined)[] = []

  constructor(sets: readonly Ranges[]) {
    const starts = new Set([0])
    for (const ranges of sets) for (let at = 0; at < ranges.length; at++) starts.add((ranges[at] as number) + (at % 2))
    this.#starts = [...starts].toSorted((a, b) => a - b)
  }

  /** Returns the class of a character. */
  of(code: number): number {
    if (code < this.#from || code > this.#to) this.#search(code)
    return this.#last
  }

  #search(code: number): void {
    const starts = this.#starts
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((starts[middle] as number) <= code) low = middle
      else high = middle
    }
    this.#from = starts[low] as number
    this.#to = high < starts.length ? (starts[high] as number) - 1 : lastCodePoint
    this.#last = low
  }
}

/** Steps of an automaton after which it remembers states: most patterns meet a few short texts. */
const stepsBeforeMemory = 32
/**
 * Maximum moves from one state to the next that an automaton remembers: it bounds the memory of hostile patterns, and their time, because
 * they have a new state for each character.
 */
const maxRememberedMoves = 256

/** A pattern as sets of positions. What a text has not needed yet is not made. */
class Automaton {
  readonly #words: number
  readonly #isEmpty: boolean
  readonly #first: Bits
  readonly #last: Bits
  readonly #positions: Positions
  /** What follows each set of four positions, by its bits: words that are not zero, each after its index. */
  readonly #followUps: (readonly number[] | undefined)[] = []
  readonly #begin: Bits
  readonly #end: Bits
  readonly #sets: readonly Ranges[]
  /** The positions of each of the sets. */
  readonly #setBits: readonly Bits[]
  /** Whether it begins only at the begin of a text. */
  readonly #isBound: boolean
  /** Where each text begins that has characters. */
  readonly #start: State
  #steps = 0
  /** Known once the automaton remembers states. */
  #characters: CharacterClasses | undefined
  /** States by their bits, so that a long text moves from one to the next without a step. */
  #states: Map<string, State> | undefined
  #rememberedMoves = 0

  constructor(node: Node) {
    const positions = new Positions(sizeOf(node))
    const { isEmpty, first, last } = positions.build(node)
    const { words, nodes } = positions
    this.#positions = positions
    this.#words = words
    this.#isEmpty = isEmpty
    this.#first = first
    this.#last = last
    this.#begin = noBits(words)
    this.#end = noBits(words)
    const sets: Ranges[] = []
    const setBits: Bits[] = []
    for (let at = 0; at < nodes.length; at++) {
      const each = nodes[at] as Node
      if (each.type !== 'set') {
        setBit(each.type === 'begin' ? this.#begin : this.#end, at)
        continue
      }
      const known = sets.indexOf(each.ranges)
      const set = known === -1 ? sets.push(each.ranges) - 1 : known
      setBit((setBits[set] ??= noBits(words)), at)
    }
    this.#sets = sets
    this.#setBits = setBits
    this.#isBound = first.every((bits, word) => (bits & ~(this.#begin[word] as number)) === 0)
    this.#start = this.#pass(noBits(words), this.#begin)
  }

  /** Returns the positions that a character matches. */
  #maskOf(code: number): Bits {
    const mask = noBits(this.#words)
    for (let at = 0; at < this.#sets.length; at++) {
      if (contains(this.#sets[at] as Ranges, code)) add(mask, this.#setBits[at] as Bits)
    }
    return mask
  }

  matches(text: string): boolean {
    if (this.#isEmpty) return true
    let state = text.length === 0 ? this.#pass(noBits(this.#words), union(this.#begin, this.#end)) : this.#start
    for (let at = 0; at < text.length && !state.ends && !state.isDead; at++) {
      const code = text.codePointAt(at) as number
      if (code > 0xffff) at++
      state = this.#steps < stepsBeforeMemory ? this.#step(state.bits, this.#maskOf(code)) : this.#move(state, code)
    }
    return state.ends || this.#pass(state.bits, this.#end).ends
  }

  /** Returns the state after a character, and remembers it. */
  #move(state: State, code: number): State {
    const characters = (this.#characters ??= new CharacterClasses(this.#sets))
    const ofCode = characters.of(code)
    const known = state.next?.get(ofCode)
    if (known) return known
    const reached = this.#step(state.bits, (characters.masks[ofCode] ??= this.#maskOf(code)))
    if (this.#rememberedMoves === maxRememberedMoves) return reached
    this.#rememberedMoves++
    const key = reached.bits.join()
    const states = (this.#states ??= new Map())
    const next = states.get(key) ?? { ...reached, next: new Map() }
    states.set(key, next)
    if (state === this.#start) state.next ??= new Map()
    state.next?.set(ofCode, next)
    return next
  }

  /** Passes ends of the text until no further position is reached. */
  #pass(bits: Bits, mask: Bits): State {
    for (let reached = bits; ;) {
      const next = this.#step(reached, mask)
      if (next.ends || next.bits.every((word, index) => (word & ~(reached[index] as number)) === 0))
        return { bits: reached, ends: next.ends, isDead: false, next: undefined }
      reached = union(reached, next.bits)
    }
  }

  /** Returns the positions of the mask that begin the pattern or follow one of `bits`. */
  #step(bits: Bits, mask: Bits): State {
    this.#steps++
    const last = this.#last
    const next = this.#first.slice()
    this.#addFollowUps(next, bits)
    let any = 0
    let ends = 0
    for (let word = 0; word < next.length; word++) {
      const reached = (next[word] as number) & (mask[word] as number)
      next[word] = reached
      any |= reached
      ends |= reached & (last[word] as number)
    }
    return { bits: next, ends: ends !== 0, isDead: any === 0 && this.#isBound, next: undefined }
  }

  #addFollowUps(next: Bits, bits: Bits): void {
    // A small pattern has few, and needs no table of them.
    if (bits.length === 1) {
      const { follow } = this.#positions
      for (let rest = bits[0] as number; rest !== 0; rest &= rest - 1)
        next[0] = (next[0] as number) | (follow[31 - Math.clz32(rest & -rest)] as number)
      return
    }
    const known = this.#followUps
    for (let word = 0; word < bits.length; word++) {
      let rest = bits[word] as number
      for (let chunk = word * (wordBits / chunkBits); rest !== 0; chunk++, rest >>>= chunkBits) {
        const set = rest & (chunkSize - 1)
        if (set === 0) continue
        const followUps = (known[chunk * chunkSize + set] ??= this.#followUpsOf(chunk, set))
        for (let at = 0; at < followUps.length; at += 2) {
          const to = followUps[at] as number
          next[to] = (next[to] as number) | (followUps[at + 1] as number)
        }
      }
    }
  }

  #followUpsOf(chunk: number, set: number): number[] {
    const words = this.#words
    const followUps: number[] = []
    for (let word = 0; word < words; word++) {
      let bits = 0
      for (let bit = 0; bit < chunkBits; bit++)
        if ((set >>> bit) & 1) bits |= this.#positions.follow[(chunk * chunkBits + bit) * words + word] as number
      if (bits !== 0) followUps.push(word, bits)
    }
    return followUps
  }
}

/** What is known of a pattern. */
interface KnownPattern {
  readonly node: Node | undefined
  /** What is wrong with it, as the end of a sentence about it. */
  readonly problem: string | undefined
  automaton?: Automaton
}

/** The patterns that were used last, in two generations. */
let patterns = new Map<string, KnownPattern>()
let earlierPatterns: ReadonlyMap<string, KnownPattern> = patterns
const maxPatternsOfGeneration = 50

function knownPattern(pattern: string): KnownPattern {
  if (pattern.length > maxPatternCharacters)
    return { node: undefined, problem: `must have at most ${maxPatternCharacters} characters` }
  const recent = patterns.get(pattern)
  if (recent) return recent
  const known = earlierPatterns.get(pattern) ?? parsed(pattern)
  if (patterns.size === maxPatternsOfGeneration) {
    earlierPatterns = patterns
    patterns = new Map()
  }
  patterns.set(pattern, known)
  return known
}

function parsed(pattern: string): KnownPattern {
  try {
    return { node: parse(pattern), problem: undefined }
  } catch (error) {
    if (error instanceof PatternError) return { node: undefined, problem: error.message }
    throw error
  }
}

/**
 * Returns what is wrong with a pattern, as the end of a sentence about it, or undefined. Never throws.
 *
 * @example
 * problemOfPattern('^(a+)+$') // undefined
 * problemOfPattern('(?=a)') // 'has lookaround, a name or flags in a group: only (…) and (?:…) are supported'
 */
export function problemOfPattern(pattern: string): string | undefined {
  return knownPattern(pattern).problem
}

/**
 * Returns whether a text has a part that matches the pattern: `^` and `$` bind it to the ends of the text. The time is linear in the
 * length of the text. A text longer than `maxMatchedCharacters` matches no pattern, and none matches a pattern with a problem.
 * Never throws.
 *
 * @example
 * matchesPattern('^postgres://', 'postgres://db/app') // true
 */
export function matchesPattern(pattern: string, text: string): boolean {
  if (text.length > 2 * maxMatchedCharacters) return false
  const known = knownPattern(pattern)
  if (!known.node) return false
  // Most texts have no more code units than characters are allowed.
  if (text.length > maxMatchedCharacters && Array.from(text).length > maxMatchedCharacters) return false
  known.automaton ??= new Automaton(known.node)
  return known.automaton.matches(text)
}
