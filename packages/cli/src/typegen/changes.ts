/** Compares two declaration files. */

export interface Changes {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Names in both files with different types. */
  readonly retyped: readonly string[]
}

/** A member, and with its type whether it can be absent. */
const member = /^ {4}("(?:[^"\\]|\\.)*"|[\w$]+)(\??: .+)$/

/**
 * Returns the lines without comments: a changed description does not affect programs. Neither do the line breaks of another
 * system, or semicolons that a formatter adds where `prettier-ignore` does not apply.
 */
function codeOf(text: string): string[] {
  return text.split(/;?\r?\n/).filter((line) => !/^\s*(?:\/[/*]|\*)/.test(line))
}

function membersOf(text: string): Map<string, string> {
  return new Map(
    codeOf(text).flatMap((line) => {
      const [, name, type] = member.exec(line) ?? []
      return name === undefined || type === undefined ? [] : [[name, type] as const]
    }),
  )
}

/** Returns whether a program compiles the same against both texts. */
export function isSameCode(before: string, after: string): boolean {
  return codeOf(before).join('\n') === codeOf(after).join('\n')
}

/** Returns the changes, with names as in the files, quoted or not. */
export function changesBetween(before: string, after: string): Changes {
  const [beforeTypes, afterTypes] = [membersOf(before), membersOf(after)]
  const names = [...afterTypes.keys()]
  return {
    added: names.filter((name) => !beforeTypes.has(name)),
    removed: [...beforeTypes.keys()].filter((name) => !afterTypes.has(name)),
    retyped: names.filter((name) => beforeTypes.has(name) && beforeTypes.get(name) !== afterTypes.get(name)),
  }
}

/** Describes changes for people, such as `added A, B; removed C`. */
export function changesText({ added, removed, retyped }: Changes): string {
  const parts = [
    ['added', added],
    ['removed', removed],
    ['changed the type of', retyped],
  ] as const
  const texts = parts.filter(([, names]) => names.length > 0).map(([what, names]) => `${what} ${names.join(', ')}`)
  return texts.length > 0 ? texts.join('; ') : 'same names and types, different text'
}
