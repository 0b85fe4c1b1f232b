/** Planted secrets, and a search for them in a text, in any encoding in which code may have written them. */

export class Canaries {
  /** Names of the secrets, by their encoded forms. */
  readonly #forms = new Map<string, string>()

  /** Creates a new secret, to be used in place of a real one. */
  plant(what = 'a planted text'): string {
    const text = `canary${crypto.randomUUID().replaceAll('-', '')}`
    this.add(what, text)
    return text
  }

  /** Adds an existing secret, as text or bytes. */
  add(what: string, secret: string | Buffer): void {
    const bytes = Buffer.from(secret)
    if (bytes.length < 8)
      throw new Error(`${what} is too short (expected 8 bytes or more): a text may contain it by chance.`)
    for (const form of formsOf(bytes)) this.#forms.set(form, what)
  }

  /** Throws if a text contains a secret. Pass bytes that are not text as latin1. */
  expectNoneIn(where: string, text: string): void {
    for (const [form, what] of this.#forms) {
      if (text.includes(form)) throw new Error(`${what} is in ${where}: ${form.slice(0, 7)}…`)
    }
  }
}

function formsOf(bytes: Buffer): string[] {
  const hex = bytes.toString('hex')
  const percent = hex.replaceAll(/../g, (byte) => `%${byte}`)
  return [
    bytes.toString('latin1'),
    encodeURIComponent(bytes.toString('latin1')),
    ...[hex, percent].flatMap((text) => [text, text.toUpperCase()]),
    ...base64sOf(bytes),
  ]
}

/**
 * Returns the base64 forms of a text within a longer one. They depend on the text's offset in groups of three bytes. Leaves
 * out the characters that depend on neighboring bytes.
 */
function base64sOf(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    const from = before === 0 ? 0 : 4
    const to = Math.floor(padded.length / 3) * 4
    return (['base64', 'base64url'] as const).map((encoding) => padded.toString(encoding).slice(from, to))
  })
}
