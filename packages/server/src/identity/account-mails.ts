/** A kind of mail that a person can do without. */
interface MailChoice {
  readonly kind: string
  /** What it tells. */
  readonly label: string
  readonly isOn: boolean
}

/** Mails about accounts and invitations, which are sent later: to ask for one never throws. */
export interface AccountMails {
  invited(invitation: {
    readonly id: string
    readonly email: string
    readonly orgSlug: string
    readonly inviterId: string
    readonly link: string
  }): Promise<void>
  /** Called with an address that may have no account. Absent: links that set a password are passed on by hand only. */
  readonly resetRequested?: ((email: string) => Promise<void>) | undefined
  /** Called after a sign-in in a browser in which the account was not signed in before. */
  signedIn(userId: string): Promise<void>
  /** Returns the mails that the person can choose. */
  choicesOf(userId: string): Promise<MailChoice[]>
  /** Stores which of them the person does not want. */
  choose(userId: string, off: readonly string[]): Promise<void>
}
