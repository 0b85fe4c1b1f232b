/** Creates the services that send mail, if an SMTP server is set. */
import { peopleOfChange } from '../changes/approvals.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { AccountMails } from '../identity/account-mails.ts'
import type { EmbeddedProvider } from '../identity/embedded.ts'
import { Audience } from '../notifications/mail/audience.ts'
import { LogReader } from '../notifications/mail/log-reader.ts'
import { MailOutbox, type Links } from '../notifications/mail/mail-outbox.ts'
import { Mailbox } from '../notifications/mail/mailbox.ts'
import { Smtp } from '../notifications/mail/smtp.ts'
import { smtpServerOf } from '../notifications/mail/smtp-url.ts'
import type { Platform } from './platform.ts'

/** Returns how the links of mails are sealed. Those to people without an account are of no organization. */
function mailLinks(keyring: Keyring): Links {
  const sealer = keyring.sealerFor('mail', 'installation')
  return {
    seal: (id, link) => sealer.seal(id, 'mail', 'link', link),
    open: (id, link) => sealer.open(id, 'mail', 'link', link).toString(),
  }
}

/** Returns the mails about accounts; undefined without an SMTP server. */
export function accountMails(
  { config: { SMTP_URL, MAIL_RESETS }, publicUrl, store: { sql }, clock, log }: Platform,
  keyring: Keyring,
): AccountMails | undefined {
  if (SMTP_URL === undefined) return undefined
  const mailbox = new Mailbox({ sql, links: mailLinks(keyring), publicUrl, clock, log })
  return {
    invited: (invitation) => mailbox.invited(invitation),
    resetRequested: MAIL_RESETS === 'yes' ? (email) => mailbox.resetRequested(email) : undefined,
    signedIn: (userId) => mailbox.signedIn(userId),
    choicesOf: (userId) => mailbox.choicesOf(userId),
    choose: (userId, off) => mailbox.choose(userId, off),
  }
}

export function mailServices(
  { config: { SMTP_URL = '', MAIL_FROM = '' }, publicUrl, store: { sql }, clock, log }: Platform,
  { keyring, identity }: { readonly keyring: Keyring; readonly identity: EmbeddedProvider | undefined },
): { readonly mails: { readonly outbox: MailOutbox; readonly logReader: LogReader } | undefined } {
  const server = smtpServerOf(SMTP_URL)
  if (!server || !identity) return { mails: undefined }
  const membersOf = (idpOrgId: string) => identity.membersOf(idpOrgId)
  const audience = new Audience({ sql, membersOf, peopleOfChange, clock })
  const logReader = new LogReader({ sql, audience, publicUrl, clock })
  const outbox = new MailOutbox({
    sql,
    audience,
    publicUrl,
    clock,
    log,
    smtp: new Smtp({ server, from: MAIL_FROM }),
    links: mailLinks(keyring),
    resetLinkOf: (email) => identity.resetLinkByMail(email),
    named: (userIds) => identity.people(userIds),
    random: Math.random,
  })
  return { mails: { outbox, logReader } }
}
