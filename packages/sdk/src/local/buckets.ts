/** The buckets of seeds, of which the latest are remembered: a program mostly decides again for users whom it has just seen. */
import { bucketText, unitOfBinary } from '@rollkey/contract/rules'
import type { HashText } from './sha256.ts'

/** Maximum number of remembered buckets, about 1.5 MB. */
const maxRemembered = 10_000

export class Buckets {
  readonly #hash: HashText
  #units = new Map<string, number>()

  constructor(hash: HashText) {
    this.#hash = hash
  }

  /** Returns 0 <= u < 1, the same for the same name, seed and key everywhere. */
  unitOf(name: string, seed: string, key: string): number {
    const text = bucketText(name, seed, key)
    const known = this.#units.get(text)
    if (known !== undefined) return known
    const unit = unitOfBinary(this.#hash(text))
    if (this.#units.size >= maxRemembered) this.#units = new Map()
    this.#units.set(text, unit)
    return unit
  }
}
