/** The code that a command-line client shows and a person types. */

const format = /^[A-Z0-9]{8}$/

/** The code as the service knows it, whatever case, dashes and blanks it was typed with; undefined if it is none. */
export function normalUserCode(typed: string): string | undefined {
  const code = typed.replaceAll(/[\s\p{Dash}]/gu, '').toUpperCase()
  return format.test(code) ? code : undefined
}

/** The code as it is shown: XXXX-XXXX. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`
}
