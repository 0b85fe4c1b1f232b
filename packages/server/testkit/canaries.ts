/** Planted secrets, and whether one of them is in a text in any form in which somebody may have written it there. */

export class Canaries {
  /** What each form is of. */
  readonly #forms = new Map<string, string>()

  /** A new one, to be put where a secret goes. */
  plant(what = 'a planted text'): string {
    const text = `canary${crypto.randomUUID().replaceAll('-', '')}`
    this.add(what, text)
    return text
  }

  /** One that there is, as text or bytes. */
  add(what: string, secret: string | Buffer): void {
    const bytes = Buffer.from(secret)
    if (bytes.length < 8) throw new Error(`${what} is so short that it may be anywhere by chance.`)
    for (const form of formsOf(bytes)) this.#forms.set(form, what)
  }

  /** `text`: of bytes that are no text, as latin1. */
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

/** Within something longer, base64 depends on where in its threes of bytes a text begins; what its neighbours decide is left out. */
function base64sOf(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    const from = before === 0 ? 0 : 4
    const to = Math.floor(padded.length / 3) * 4
    return (['base64', 'base64url'] as const).map((encoding) => padded.toString(encoding).slice(from, to))
  })
}
