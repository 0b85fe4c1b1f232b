/** The address of the SMTP server, as ROLLKEY_SMTP_URL has it. */

/** How to reach an SMTP server. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** `at once` for smtps, otherwise by STARTTLS; `none` only on this machine. */
  readonly tls: 'at once' | 'starttls' | 'none'
  readonly login: { readonly user: string; readonly pass: string } | undefined
}

const thisMachine = ['localhost', '127.0.0.1', '[::1]']

/** Returns the server of a URL; undefined if the URL has another form. */
export function smtpServerOf(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text)
  const isSecure = protocol === 'smtps:'
  if (!isSecure && protocol !== 'smtp:') return undefined
  if (hostname === '' || !['', '/'].includes(pathname) || hash !== '' || (username === '') !== (password === ''))
    return undefined
  const isPlain = search === '?tls=no'
  if (search !== '' && !(isPlain && !isSecure && thisMachine.includes(hostname))) return undefined
  const starttls = isPlain ? 'none' : 'starttls'
  try {
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (isSecure ? 465 : 587) : Number(port),
      tls: isSecure ? 'at once' : starttls,
      login: username === '' ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }
  } catch {
    return undefined
  }
}

/** Returns whether a text is an address, alone or after a name: `Rollkey <rollkey@example.com>`. */
export function isSender(text: string): boolean {
  return /^(?:[^<>@"\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text)
}
