/** Which passwords attackers try first, by a list of common ones in lower case. */

/** How many characters around a common password leave it easy to guess, such as the year. */
const maxAround = 6

/**
 * Returns whether a password is in the list, also in capitals and with a few digits and signs around it. Never throws.
 *
 * @example
 * isCommonPassword('Password12', (text) => ['password'].includes(text)) // true
 */
export function isCommonPassword(password: string, isListed: (text: string) => boolean): boolean {
  const text = password.toLowerCase()
  const word = text.replaceAll(/^[^\p{Letter}]+|[^\p{Letter}]+$/gu, '')
  return isListed(text) || (text.length - word.length <= maxAround && isListed(word))
}

/**
 * Returns whether an entry of the list can make a password of at least `minCharacters` common. The others need not be loaded.
 * Never throws.
 *
 * @example
 * canBeCommon('abc', 10) // false
 */
export function canBeCommon(listed: string, minCharacters: number): boolean {
  return (
    listed.length >= minCharacters ||
    (listed.length >= minCharacters - maxAround && /^\p{Letter}(?:.*\p{Letter})?$/su.test(listed))
  )
}
