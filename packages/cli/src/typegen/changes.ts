/** What is different between two declaration files. */

export interface Changes {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** In both, with another type. */
  readonly retyped: readonly string[]
}

const member = /^ {4}("(?:[^"\\]|\\.)*"|[\w$]+): (.+)$/

/**
 * Lines without comments: a roll whose chance has moved leaves every program as correct as it was. So do the line ends
 * of another system, and the semicolon that a formatter puts where `prettier-ignore` does not reach.
 */
function codeOf(text: string): string[] {
  return text.split(/;?\r?\n/).filter((line) => !/^\s*\/[/*]/.test(line))
}

function membersOf(text: string): Map<string, string> {
  return new Map(
    codeOf(text).flatMap((line) => {
      const [, name, type] = member.exec(line) ?? []
      return name === undefined || type === undefined ? [] : [[name, type] as const]
    }),
  )
}

/** Whether a program compiles against both alike. */
export function isSameCode(before: string, after: string): boolean {
  return codeOf(before).join('\n') === codeOf(after).join('\n')
}

/** Names as they stand in the files, quoted or not. */
export function changesBetween(before: string, after: string): Changes {
  const [old, young] = [membersOf(before), membersOf(after)]
  const names = [...young.keys()]
  return {
    added: names.filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !young.has(name)),
    retyped: names.filter((name) => old.has(name) && old.get(name) !== young.get(name)),
  }
}

/** Such as `added A, B; removed C`. */
export function changesText({ added, removed, retyped }: Changes): string {
  const parts = [
    ['added', added],
    ['removed', removed],
    ['of another type', retyped],
  ] as const
  const told = parts.filter(([, names]) => names.length > 0).map(([what, names]) => `${what} ${names.join(', ')}`)
  return told.length > 0 ? told.join('; ') : 'the same names, in another text'
}
