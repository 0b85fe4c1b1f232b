/** Guesses which values need no mask. It is an offer that a person takes, so in doubt a value stays secret. */
import type { DeclaredType } from '@rollkey/contract/rules'

const secretPart = /secret|password|passwd|passphrase|pwd|token|credential|private|api_?key|signature/i
const secretWord = /^(?:keys?|pass|pins?|salt|otp|auth|jwt|dsn|cert|seed|codes?|hash)\d*$/i
/** What may be random, or the credentials in an address. */
const randomText = /[\w+/=-]{16,}|@/

/** Returns whether a text has a word that names a secret, such as API_KEY or clientSecret. */
function namesSecret(text: string): boolean {
  const words = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').split(/[^A-Za-z\d]+/)
  return secretPart.test(text) || words.some((word) => secretWord.test(word))
}

/**
 * Returns whether a value looks as if everyone who can read it may see it without a reveal: a boolean, a number, a date, or JSON
 * without long random text, neither under the name of a secret. `declaredType`: empty if there is none.
 */
export function looksHarmless(name: string, value: string, declaredType: DeclaredType | ''): boolean {
  if (namesSecret(name)) return false
  switch (declaredType) {
    case 'boolean':
    case 'int64':
    case 'float':
    case 'date':
      return true
    case 'json':
      return !namesSecret(value) && !randomText.test(value)
    default:
      return false
  }
}
