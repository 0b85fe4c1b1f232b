/**
 * Returns whether a text is an origin of web pages, written as browsers send it: a scheme of http or https, a host in lower case, and
 * a port unless it is that of the scheme (RFC 6454, section 6.2). Never throws.
 *
 * @example
 * isOrigin('https://app.example.com') // true
 * isOrigin('https://app.example.com/') // false
 */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}
