// cspell:ignore passwort qwert letmein
export type PasswordStrength = 'weak' | 'fair' | 'strong'

/** Parts that attackers try first, with any digits and signs around them. */
const guessable = /password|passwort|qwert|asdf|letmein|welcome|rollkey|admin|1234|abcd/i

/**
 * Returns a rough estimate for the person who chooses a password. Length counts most (NIST SP 800-63B, appendix A); characters that
 * repeat and parts that attackers try first count little. The service decides by length alone.
 *
 * @example
 * passwordStrength('correct horse battery') // 'strong'
 */
export function passwordStrength(password: string): PasswordStrength {
  const rest = password.replace(guessable, '')
  const distinct = new Set(rest).size
  if (rest.length < 10 || distinct < 6) return 'weak'
  return rest.length >= 16 && distinct >= 8 ? 'strong' : 'fair'
}
