/** Why a sign-in did not finish. The page has a text for each. */
export type CompanyFailure =
  | 'unavailable'
  | 'denied'
  | 'refused'
  | 'lost'
  | 'not-admitted'
  | 'no-address'
  | 'account-exists'
  | 'in-use'
  | 'other-person'
  | 'not-asked'

export class CompanySignInError extends Error {
  readonly failure: CompanyFailure

  constructor(failure: CompanyFailure) {
    super(failure)
    this.failure = failure
  }
}
