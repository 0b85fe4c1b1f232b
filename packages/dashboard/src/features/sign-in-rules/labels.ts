/** Texts of the page about how people sign in. */
import { list } from '../../lib/list.ts'
import type { Role } from '../../lib/roles.ts'

export const labels = {
  title: 'Sign-in',
  lead: 'How people sign in to this organization.',
  manage: 'how people sign in',
  external: 'People sign in at your identity provider, which alone decides how.',
  onlyOwners: 'Owners can change this.',

  ways: {
    title: 'Ways to sign in',
    password: 'Password',
    secondFactor: 'and a second factor for people who set one up',
    passkey: 'Passkey',
    company: (label: string) => label,
    operator: 'Set up by the operator of this service (ROLLKEY_SIGN_IN).',
    how: 'How to set up a company sign-in',
  },

  joining: {
    title: 'Joining without an invitation',
    none: 'No one: people join by invitation.',
    of: (label: string, places: readonly string[], role: Role) =>
      `${label}: people of ${list.format(places)} join as ${role}`,
  },

  factor: {
    title: 'Second factor',
    off: 'A password alone opens this organization.',
    on: (hasCompanies: boolean) =>
      `A password alone doesn’t open this organization. It takes ${hasCompanies ? 'a passkey, a password with a code, or a sign-in at the company' : 'a passkey, or a password with a code'}.`,
    whatCounts: 'What counts',
    count: (having: number, lacking: readonly string[]) =>
      lacking.length === 0
        ? 'Every member has a second factor or a passkey.'
        : `${having} of ${having + lacking.length} members have a second factor or a passkey. Without: ${list.format(lacking)}.`,
    ownFirst: 'Set up your own second factor or sign in with a passkey first. Then you can require it of everyone.',
    toAccount: 'Set up your own',
    turnOn: 'Require a second factor…',
    turnOff: 'Stop requiring it…',
    question: 'Require a second factor?',
    confirm: 'Require a second factor',
    consequences:
      'Who signed in with a password alone must set one up at their next request. CLI sessions of all members end. Service tokens keep working.',
    lacking: (names: readonly string[]) =>
      `${list.format(names)} ${names.length === 1 ? 'has' : 'have'} none yet. Better ask them first: until they set one up, their password is enough to do so.`,
    done: 'A second factor is required',
    offQuestion: 'Stop requiring a second factor?',
    offText: 'Members can enter with a password alone again. Second factors that are set up stay.',
    offConfirm: 'Stop requiring it',
    offDone: 'A second factor is no longer required',
  },

  only: {
    title: 'Company sign-in only',
    off: 'Members sign in with any of these ways.',
    on: 'Only a sign-in at the company opens this organization. Passwords, passkeys and password links don’t.',
    except: (names: readonly string[]) => `Except for ${list.format(names)}.`,
    noCompany: 'This needs a company sign-in. Ask the operator of the service to set one up.',
    turnOn: 'Require company sign-in…',
    turnOff: 'Allow every way…',
    change: 'Change exceptions…',
    question: 'Require company sign-in?',
    changeQuestion: 'Change who is excepted?',
    confirm: 'Require company sign-in',
    changeConfirm: 'Save exceptions',
    consequences:
      'Everyone else must sign in at the company at their next request. Their CLI sessions end. Service tokens keep working.',
    without: (names: readonly string[]) =>
      names.length === 1
        ? `${names[0]} has no account at the company yet, and can’t enter until they sign in there.`
        : `${list.format(names)} have no account at the company yet, and can’t enter until they sign in there.`,
    owners: 'Owners who may still use a password or passkey',
    ownersUse: 'At least one, in case the company can’t be reached.',
    chooseOwner: 'Choose at least one owner.',
    done: 'Company sign-in is required',
    changed: 'Saved the exceptions',
    offQuestion: 'Allow every way to sign in?',
    offText: 'Members can enter with their passwords and passkeys again.',
    offConfirm: 'Allow every way',
    offDone: 'Every way to sign in is allowed',
  },
} as const
