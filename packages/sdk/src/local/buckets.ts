/** The buckets of a roll, of which some are remembered: a program mostly decides again for users whom it has just seen. */
import { bucketText, unitOfBinary } from '@rollkey/contract/rules'
import type { HashText } from './sha256.ts'

/** Maximum number of remembered buckets of a roll, about 100 kB. */
const maxRemembered = 2_000

export class Buckets {
  readonly #name: string
  readonly #hash: HashText
  /** The key of the remembered buckets: a program mostly decides a roll under one key. */
  #key = ''
  #units = new Map<string, number>()

  constructor(name: string, hash: HashText) {
    this.#name = name
    this.#hash = hash
  }

  /** Returns 0 <= u < 1, the same for the same name, seed and key everywhere. */
  unitOf(seed: string, key: string): number {
    const known = key === this.#key ? this.#units.get(seed) : undefined
    if (known !== undefined) return known
    const unit = unitOfBinary(this.#hash(bucketText(this.#name, seed, key)))
    if (key !== this.#key || this.#units.size >= maxRemembered) this.#units = new Map()
    this.#key = key
    this.#units.set(seed, unit)
    return unit
  }
}
