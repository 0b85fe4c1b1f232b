/** Writes one object of strings, which can represent any name and any value. */
export function json(variables: Readonly<Record<string, string>>): string {
  return `${JSON.stringify(variables, null, 2)}\n`
}
