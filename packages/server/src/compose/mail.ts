/** Creates the services that send mail, if an SMTP server is set. */
import { peopleOfChange } from '../changes/approvals.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { EmbeddedProvider } from '../identity/embedded.ts'
import { Audience } from '../notifications/mail/audience.ts'
import { LogReader } from '../notifications/mail/log-reader.ts'
import { MailWorker, type Links } from '../notifications/mail/mail-worker.ts'
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

export function mailServices(
  { config: { SMTP_URL = '', MAIL_FROM = '' }, publicUrl, store: { sql }, clock, log }: Platform,
  { keyring, identity }: { readonly keyring: Keyring; readonly identity: EmbeddedProvider | undefined },
): { readonly mailWorker: MailWorker | undefined } {
  const server = smtpServerOf(SMTP_URL)
  if (!server || !identity) return { mailWorker: undefined }
  const membersOf = (idpOrgId: string) => identity.membersOf(idpOrgId)
  const audience = new Audience({ sql, membersOf, peopleOfChange, clock })
  const mailWorker = new MailWorker({
    sql,
    audience,
    publicUrl,
    clock,
    log,
    smtp: new Smtp({ server, from: MAIL_FROM }),
    reader: new LogReader({ sql, audience, publicUrl, clock }),
    links: mailLinks(keyring),
    named: (userIds) => identity.people(userIds),
    random: Math.random,
  })
  return { mailWorker }
}
