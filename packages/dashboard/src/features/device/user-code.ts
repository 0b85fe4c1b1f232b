/** The code that a command-line client shows and a person types. */

const format = /^[A-Z0-9]{8}$/

/** Returns the code without dashes and blanks and in upper case; undefined if the text is not a code. */
export function normalUserCode(typed: string): string | undefined {
  const code = typed.replaceAll(/[\s\p{Dash}]/gu, '').toUpperCase()
  return format.test(code) ? code : undefined
}

/** Formats a code for people: XXXX-XXXX. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`
}
