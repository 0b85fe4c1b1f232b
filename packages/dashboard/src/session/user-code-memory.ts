/** The code of the login that is being looked at, in memory: should the sign-in be over, it is there after the next. */
let current: string | undefined

export function rememberUserCode(userCode: string | undefined): void {
  current = userCode
}

export function rememberedUserCode(): string | undefined {
  return current
}
