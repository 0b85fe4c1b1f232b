/** What an organization requires of a sign-in (docs/sign-in/company-only.md, docs/sign-in/second-factor.md). */

/** How a person signed in to an organization: at its company, otherwise with more than a password, or otherwise. */
export type SignIn = 'company' | 'second-factor' | 'other'

export interface RequiredSignIn {
  /** Whether only a sign-in at a company opens the organization. */
  readonly isCompanyOnly: boolean
  /** The users who are excepted from that. */
  readonly breakGlass: ReadonlySet<string>
  /** Whether only a sign-in with a second factor opens the organization. */
  readonly needsSecondFactor: boolean
}

/** Returns what the sign-in of a user lacks to open an organization. */
export function lackOf(
  { isCompanyOnly, breakGlass, needsSecondFactor }: RequiredSignIn,
  userId: string,
  signIn: SignIn,
): 'company' | 'second factor' | undefined {
  if (isCompanyOnly && signIn !== 'company' && !breakGlass.has(userId)) return 'company'
  return needsSecondFactor && signIn === 'other' ? 'second factor' : undefined
}
