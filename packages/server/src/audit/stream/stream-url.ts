/** The settings of the audit stream: the URLs that name its receiver, and its formats. */
import path from 'node:path'
import { isTrustworthyUrl } from '../../upstream/trustworthy-url.ts'

export type StreamTarget =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'syslog'; readonly host: string; readonly port: number; readonly isTls: boolean }
  | { readonly kind: 'http'; readonly url: string; readonly isSplunk: boolean }

export const streamFormats = ['json', 'cef'] as const
export type StreamFormat = (typeof streamFormats)[number]

export const streamForms = ['file:/path', 'syslog+tls://host:port', 'syslog+tcp://host:port', 'an https URL']

/** The path of Splunk's HTTP Event Collector. */
const splunkPath = /\/services\/collector(\/event)?\/?$/

/** Returns the receiver that a URL names; undefined if it names none. */
export function streamTarget(text: string): StreamTarget | undefined {
  const url = URL.parse(text)
  // fetch refuses URLs with credentials.
  if (!url || url.username !== '' || url.password !== '') return undefined
  if (url.protocol === 'file:') {
    // Otherwise a relative path would be one from the root.
    if (!text.startsWith('file:/')) return undefined
    const file = decodeURIComponent(url.pathname)
    const isPath = url.host === '' && url.search === '' && url.hash === '' && !file.endsWith('/')
    return isPath && path.isAbsolute(file) ? { kind: 'file', path: file } : undefined
  }
  const isTls = url.protocol === 'syslog+tls:'
  if (isTls || url.protocol === 'syslog+tcp:') {
    const isBare = url.hostname !== '' && ['', '/'].includes(url.pathname) && url.search === '' && url.hash === ''
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // The ports of RFC 5425 and RFC 6587.
    return isBare ? { kind: 'syslog', host, port: Number(url.port) || (isTls ? 6514 : 601), isTls } : undefined
  }
  return isTrustworthyUrl(text) ? { kind: 'http', url: text, isSplunk: splunkPath.test(url.pathname) } : undefined
}

export function isStreamUrl(text: string): boolean {
  return streamTarget(text) !== undefined
}

/** Returns the receiver for people, without what may be secret in its URL. */
export function streamName(target: StreamTarget): string {
  if (target.kind === 'file') return target.path
  if (target.kind === 'http') return new URL(target.url).host
  return `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`
}
